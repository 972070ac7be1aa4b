// Runs servers of streams and tables, those that are named, on loopback alone, and prints a line of JSON with their ports.
import { createRequire } from "node:module";
import net from "node:net";
import path from "node:path";

const require = createRequire(import.meta.url);

// Some listen on all interfaces and can't be told otherwise.
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  const [at] = args;
  const port = at !== null && typeof at === "object" ? at.port : at;
  const done = args.findLast((a) => typeof a === "function");
  return listen.call(this, { port: port ?? 0, host: "127.0.0.1" }, done);
};

// A client that dies in the middle of a request is no reason for kinesalite to end, which throws it.
process.on("uncaughtException", (error) => {
  if (error.code === "ECONNRESET") return;
  console.error(error);
  process.exit(1);
});

const quick = { createStreamMs: 5, deleteStreamMs: 5, updateStreamMs: 5, shardLimit: 1000, createTableMs: 5, deleteTableMs: 5, updateTableMs: 5 };

function started(server) {
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, () => resolve(server.address().port));
  });
}

async function freePort() {
  const probe = net.createServer();
  const port = await started(probe);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const starts = {
  kinesalite: () => started(require("kinesalite")(quick)),
  dynalite: () => started(require("dynalite")(quick)),
  async "kinesis-local"() {
    const port = await freePort();
    Object.assign(process.env, {
      KINESIS_MOCK_PLAIN_PORT: port, KINESIS_MOCK_TLS_PORT: await freePort(), LOG_LEVEL: "ERROR", SHARD_LIMIT: 1000,
      CREATE_STREAM_DURATION: "5ms", DELETE_STREAM_DURATION: "5ms", MERGE_SHARDS_DURATION: "5ms", SPLIT_SHARD_DURATION: "5ms",
    });
    const main = require.resolve("kinesis-local/main.js");
    process.chdir(path.dirname(main)); // where its server.json is
    require(main);
    for (;;) { // until it answers
      const connected = await new Promise((resolve) => {
        const c = net.connect(port, "127.0.0.1", () => { c.destroy(); resolve(true); });
        c.on("error", () => resolve(false));
      });
      if (connected) return port;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
};

const ports = {};
for (const name of process.argv.slice(2)) ports[name] = await starts[name]();
console.log(JSON.stringify(ports));
