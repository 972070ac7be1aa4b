// Reads WARC files with a reader that nobody here wrote, and prints a line of JSON for each record: what it says, and what is in it.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { WARCParser } from "warcio";

for (const path of process.argv.slice(2)) {
  for await (const record of new WARCParser(createReadStream(path))) {
    const payload = await record.readFully(false);
    console.log(JSON.stringify({
      path,
      version: record.warcHeaders.statusline,
      type: record.warcType,
      headers: Object.fromEntries(record.warcHeaders.headers.entries()),
      status: record.httpHeaders?.statusline,
      http: record.httpHeaders ? [...record.httpHeaders.headers.entries()] : null,
      sha256: createHash("sha256").update(payload ?? "").digest("hex"),
      size: payload?.length ?? 0,
    }));
  }
}
