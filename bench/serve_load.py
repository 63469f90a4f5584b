#!/usr/bin/env python3
"""Load on `layersim serve`: 64 connections ask as fast as they are answered, one more uploads broken files all the time.

usage: bench/serve_load.py PROGRAM [SECONDS]   (60)

Prints requests a second, failures, the distribution of waiting times and the server's peak memory. Fails when a request
fails or waits for more than 2 s, or when the server no longer serves at the end.
"""
import asyncio
import os
import random
import re
import subprocess
import sys
import time

CONNECTIONS = 64
MOST_SECONDS = 2
NETWORKS = ["resnet18", "resnet50", "vgg11", "mobilenet_v2", "bert_base", "lenet5"]
GPUS = ["k80", "t4", "v100-sxm2", "a100-sxm4-40gb", "h100-sxm", "rtx2080ti"]


def request(random_source):
    network, gpu = random_source.choice(NETWORKS), random_source.choice(GPUS)
    kind = random_source.random()
    if kind < 0.1:
        return "/api/v1/gpus"
    if kind < 0.3:
        return f"/api/v1/compare?network={network}&gpus={gpu},k40&batches=8,16,32"
    return f"/api/v1/predict?network={network}&gpu={gpu}&batch={random_source.choice([1, 8, 32])}"


async def ask(reader, writer, bytes_out):
    writer.write(bytes_out)
    await writer.drain()
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"content-length: (\d+)", head, re.I).group(1))
    await reader.readexactly(length)
    return int(head.split()[1])


async def client(port, end, seed, waits, failures):
    random_source = random.Random(seed)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    while time.monotonic() < end:
        path = request(random_source)
        begin = time.monotonic()
        try:
            status = await ask(reader, writer, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            failures.append(f"{path}: {error}")
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
            continue
        waits.append(time.monotonic() - begin)
        if status != 200:
            failures.append(f"{path}: {status}")
    writer.close()


async def storm(port, end, counts):
    random_source = random.Random(0)
    while time.monotonic() < end:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        body = random_source.randbytes(random_source.randrange(1, 200_000))
        head = f"POST /api/v1/networks HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        try:
            status = await ask(reader, writer, head + body)
        except (ConnectionError, asyncio.IncompleteReadError):
            status = 0
        counts[status] = counts.get(status, 0) + 1
        writer.close()


def peak_mib(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1)) / 1024


async def load(port, seconds):
    waits, failures, counts = [], [], {}
    end = time.monotonic() + seconds
    clients = [client(port, end, seed, waits, failures) for seed in range(CONNECTIONS)]
    await asyncio.gather(*clients, storm(port, end, counts))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    serves = await ask(reader, writer, b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n") == 200
    return sorted(waits), failures, counts, serves


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    seconds = float(sys.argv[2]) if len(sys.argv) == 3 else 60
    server = subprocess.Popen([sys.argv[1], "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+)/", server.stdout.readline()).group(1))
        waits, failures, counts, serves = asyncio.run(load(port, seconds))
        memory = peak_mib(server.pid)
    finally:
        server.terminate()
        server.wait()
    at = lambda share: 1000 * waits[min(int(share * len(waits)), len(waits) - 1)]
    print(f"{len(waits) / seconds:.0f} requests/s over {CONNECTIONS} connections on {os.cpu_count()} cores for {seconds:.0f} s, "
          f"{len(failures)} failed")
    print(f"waiting times: median {at(0.5):.0f} ms, 95 % {at(0.95):.0f} ms, 99 % {at(0.99):.0f} ms, longest {at(1):.0f} ms")
    print(f"broken uploads meanwhile, by status: {dict(sorted(counts.items()))}")
    print(f"peak memory of the server {memory:.0f} MiB; it {'still serves' if serves else 'NO LONGER SERVES'}")
    for failure in failures[:5]:
        print("failed:", failure)
    if failures or not serves or waits[-1] > MOST_SECONDS:
        sys.exit(1)


if __name__ == "__main__":
    main()
