"""What clients of Umbra do with kombu, as they do it."""
import json
import socket
import sys

from kombu import Connection, Exchange, Queue

what, url, exchange, key = sys.argv[1:5]

if what == "produce":  # declares nothing
    with Connection(url) as connection:
        producer = connection.Producer(serializer="json")
        for payload in json.load(sys.stdin):
            producer.publish(payload, routing_key=key, exchange=Exchange(exchange, "direct", durable=True))
elif what == "declare":  # as Umbra itself does
    with Connection(url) as connection:
        Queue(key, routing_key=key, exchange=Exchange(exchange, "direct", durable=True))(connection).declare()
elif what == "consume":  # prints bodies as the library decodes them
    left = int(sys.argv[5])

    def show(body, message):
        global left
        properties = {"type": message.content_type, "encoding": message.content_encoding, "mode": message.properties.get("delivery_mode")}
        print(json.dumps({"kind": type(body).__name__, "body": body, "properties": properties}), flush=True)
        message.ack()
        left -= 1

    queue = Queue(key, routing_key=key, exchange=Exchange(exchange, "direct", durable=True))
    with Connection(url) as connection:
        with connection.Consumer(queue, callbacks=[show]):
            print("ready", flush=True)
            while left:
                try:
                    connection.drain_events(timeout=1)
                except socket.timeout:
                    pass
