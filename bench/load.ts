import { connect, type Socket } from 'node:net';

/** What is asked for, again and again. */
export interface Asked {
  /** On one server: `http://127.0.0.1:4711/api/v2/experimentation/experiments?take=25`. One after the other, round and round. */
  readonly urls: readonly string[];
  readonly token: string;
  readonly connections: number;
  readonly seconds: number;
}

/** What came of it. */
export interface Load {
  readonly requests: number;
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Of these, how long the generator had answers to read. */
  readonly busySeconds: number;
}

/**
 * Asks a server for the same things, each connection as often as it can within the time, one request after the other. It
 * speaks to the sockets directly and reads no more of an answer than where it ends, so that it is done sooner than any
 * server that has to make one. And it never sleeps: what wakes a process is charged to the server whose answer does it, and can
 * cost as much as the answer.
 * @throws Error for an answer other than 200, and for a connection that ends
 */
export async function load({ urls, token, connections, seconds }: Asked): Promise<Load> {
  const [first] = urls;
  if (first === undefined) throw new Error('nothing is asked for');
  const { hostname, port } = new URL(first);
  const requests = urls.map((url) => requestFor(new URL(url), token));
  let asked = 0;
  const watch = stayAwake();
  const next = (): Buffer => {
    watch.busy();
    return requests[asked++ % requests.length] ?? Buffer.alloc(0);
  };
  const began = performance.now();
  const until = began + seconds * 1000;
  try {
    const counts = await Promise.all(
      Array.from({ length: connections }, () =>
        askUntil(until, connect({ host: hostname, port: Number(port), noDelay: true }), next),
      ),
    );
    return {
      requests: counts.reduce((sum, count) => sum + count, 0),
      seconds: (performance.now() - began) / 1000,
      busySeconds: watch.end(),
    };
  } finally {
    watch.end();
  }
}

/** Keeps the event loop turning, and adds up the turns in which something was to be done. */
function stayAwake(): { busy(): void; end(): number } {
  let isBusy = false;
  let busyMs = 0;
  let turned = performance.now();
  let next: NodeJS.Immediate | undefined;
  const turn = (): void => {
    const now = performance.now();
    if (isBusy) busyMs += now - turned;
    isBusy = false;
    turned = now;
    next = setImmediate(turn);
  };
  turn();
  return {
    busy: () => {
      isBusy = true;
    },
    end() {
      clearImmediate(next);
      return busyMs / 1000;
    },
  };
}

function requestFor({ host, pathname, search }: URL, token: string): Buffer {
  const lines = [
    `GET ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    'Accept: application/json',
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/** Answers that one connection had until then. */
function askUntil(until: number, socket: Socket, next: () => Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let answers = 0;
    let isWhole = answerReader();
    socket.on('connect', () => socket.write(next()));
    socket.on('data', (chunk: Buffer) => {
      try {
        if (!isWhole(chunk)) return;
      } catch (error) {
        socket.destroy();
        reject(error);
        return;
      }
      answers += 1;
      isWhole = answerReader();
      if (performance.now() < until) socket.write(next());
      else {
        socket.destroy();
        resolve(answers);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server ended a connection')));
  });
}

/**
 * Reads one answer, chunk by chunk: true with its last byte. Knows the two ways that its end is told
 * (RFC 9112, section 6): a length, or chunks of which the last is empty.
 * @throws Error for an answer other than 200
 */
export function answerReader(): (chunk: Buffer) => boolean {
  let head: Buffer = Buffer.alloc(0);
  let remaining: number | undefined;
  let tail = '';
  const bodyEnds = (body: Buffer): boolean => {
    if (remaining !== undefined) {
      remaining -= body.length;
      return remaining <= 0;
    }
    tail = (tail + body.toString('latin1', Math.max(0, body.length - 7))).slice(-7);
    return tail.endsWith('\r\n0\r\n\r\n') || tail === '0\r\n\r\n';
  };
  let isHeadRead = false;
  return (chunk) => {
    if (isHeadRead) return bodyEnds(chunk);
    head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return false;
    isHeadRead = true;
    const text = head.toString('latin1', 0, end);
    if (!text.startsWith('HTTP/1.1 200 '))
      throw new Error(`the answer is ${text.slice(0, text.indexOf('\r\n'))}`);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (length !== undefined) remaining = Number(length);
    return bodyEnds(head.subarray(end + 4));
  };
}
