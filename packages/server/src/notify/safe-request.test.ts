import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { selfSignedCertificate } from '../worker/smtp/certificate.ts'
import { createSafeRequest, type SafeResponse, type SafeOutcome } from './safe-request.ts'
import { findUrlProblem, parseAllowedHosts } from './webhook-url.ts'

const POST = { headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body: '{"subject":"Grüße"}' }

describe('a receiver', () => {
  test('receives the exact request, and its response is returned', async () => {
    const seen: unknown[] = []
    const { request, port } = await startReceiver((incoming, outgoing) => {
      let body = ''
      incoming.setEncoding('utf8').on('data', (text: string) => (body += text))
      incoming.on('end', () => {
        const { method, url, headers } = incoming
        seen.push({ method, url, headers, body })
        outgoing.writeHead(202, { 'retry-after': '7' }).end('taken')
      })
    })
    const answer = answered(await request(`http://127.0.0.1:${port}/hook?team=1#part`, POST))
    expect(answer).toMatchObject({ status: 202, headers: { 'retry-after': '7' } })
    expect(answer.body.toString()).toBe('taken')
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/hook?team=1',
        headers: { ...POST.headers, host: `127.0.0.1:${port}`, 'content-length': '21', connection: 'close' },
        body: POST.body,
      },
    ])
  })

  test.each([301, 302, 303, 307, 308])('that responds with %i is not followed', async (status) => {
    const paths: string[] = []
    const { request, port } = await startReceiver((incoming, outgoing) => {
      paths.push(incoming.url!)
      outgoing.writeHead(status, { location: '/elsewhere' }).end()
    })
    expect(await request(`http://127.0.0.1:${port}/`, POST)).toMatchObject({ kind: 'responded', status })
    expect(paths).toEqual(['/'])
  })

  test.each([
    [65_535, 65_535],
    [65_536, 65_536],
    [65_537, 65_536],
  ])('that responds with %i bytes is read up to %i', async (sent, read) => {
    const { request, port } = await startReceiver((_incoming, outgoing) => outgoing.end(Buffer.alloc(sent, 'x')))
    expect(answered(await request(`http://127.0.0.1:${port}/`, POST)).body.length).toBe(read)
  })

  test('that never stops sending is read up to the limit', async () => {
    const { request, server, port } = await startReceiver((_incoming, outgoing) => {
      const pour = () => {
        while (!outgoing.destroyed && outgoing.write(Buffer.alloc(16_384, 'x')));
      }
      outgoing.on('drain', pour)
      pour()
    })
    expect(answered(await request(`http://127.0.0.1:${port}/`, POST)).body.length).toBe(65_536)
    await noConnections(server)
  })

  test.each([
    ['cuts the connection in the middle of its body', (socket: Socket) => void socket.destroy()],
    ['does not end its body', () => {}],
  ])('that %s still counts as a response', async (_case, then) => {
    const { request, server, port } = await startRaw({ totalTimeoutMs: 2_000 }, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegun', () => then(socket))
    })
    const answer = answered(await request(`http://127.0.0.1:${port}/`, POST))
    expect([answer.status, answer.body.toString()]).toEqual([200, 'begun'])
    await noConnections(server)
  })

  test.each([
    ['says nothing', '', 'The endpoint did not respond in time.'],
    ['sends half of a head', 'HTTP/1.1 200 OK\r\nserv', 'The endpoint did not respond in time.'],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.2\r\n', 'The response is not valid HTTP.'],
    ['sends endless headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, 'The response headers are too large.'],
    ['switches protocols', 'HTTP/1.1 101 OK\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'The connection was closed'],
  ])('that %s has failed', async (_case, sent, sentence) => {
    // Only the tests without a response wait for the timeout.
    const totalTimeoutMs = sentence.endsWith('in time.') ? 300 : 20_000
    const { request, server, port } = await startRaw({ totalTimeoutMs }, (socket) => void socket.write(sent))
    expect(failure(await request(`http://127.0.0.1:${port}/`, POST))).toContain(sentence)
    await noConnections(server)
  })

  test('that closes the connection at once has failed', async () => {
    const { request, port } = await startRaw({}, (socket) => void socket.end())
    expect(failure(await request(`http://127.0.0.1:${port}/`, POST))).toMatch(/^The connection was closed before/)
  })

  test('that does not exist has failed', async () => {
    const { request, server, port } = await startReceiver((_incoming, outgoing) => outgoing.end())
    server.close()
    await once(server, 'close')
    expect(failure(await request(`http://127.0.0.1:${port}/`, POST))).toBe('The connection was refused.')
  })
})

describe('TLS', () => {
  test('is for the name, although the connection goes to the checked address', async () => {
    const names: unknown[] = []
    const { port, cert } = await startTls('hooks.example', (incoming, outgoing) => {
      names.push([incoming.headers.host, 'servername' in incoming.socket && incoming.socket.servername])
      outgoing.end()
    })
    const request = withoutAddressRules('hooks.example')
    expect(failure(await request(`https://hooks.example:${port}/`, POST))).toBe(
      'The TLS certificate is not valid (DEPTH_ZERO_SELF_SIGNED_CERT).',
    )
    trust(cert)
    expect(await request(`https://hooks.example:${port}/`, POST)).toMatchObject({ kind: 'responded', status: 200 })
    expect(names).toEqual([[`hooks.example:${port}`, 'hooks.example']])
  })

  test('with a certificate for another name fails', async () => {
    const { port, cert } = await startTls('hooks.example', (_incoming, outgoing) => outgoing.end())
    trust(cert)
    const request = withoutAddressRules('other.example')
    expect(failure(await request(`https://other.example:${port}/`, POST))).toBe(
      'The TLS certificate is not valid (ERR_TLS_CERT_ALTNAME_INVALID).',
    )
  })

  test('with a receiver without TLS fails', async () => {
    const { port } = await startReceiver((_incoming, outgoing) => outgoing.end())
    expect(failure(await withoutAddressRules('hooks.example')(`https://hooks.example:${port}/`, POST))).toBe(
      'The TLS handshake failed.',
    )
  })

  test('whose handshake takes too long fails', async () => {
    const { port, server } = await startRaw({}, () => {})
    const request = createSafeRequest({ allowedHosts: parseAllowedHosts('127.0.0.1'), connectTimeoutMs: 100 })
    const outcome = await request(`https://127.0.0.1:${port}/`, POST)
    expect(failure(outcome)).toBe('The connection timed out.')
    await noConnections(server)
  })
})

describe('a name', () => {
  test.each([
    ['ENOTFOUND', 'The host name does not exist.'],
    ['ENODATA', 'The host name has no address.'],
    ['ESERVFAIL', 'The host name could not be resolved.'],
    ['EOTHER', 'The request could not be sent.'],
  ])('that gives %s: %s', async (code, sentence) => {
    const resolve = () => Promise.reject(Object.assign(new Error('secret of our network'), { code }))
    const request = createSafeRequest({ allowedHosts: parseAllowedHosts(''), resolve })
    expect(failure(await request('https://hooks.example/', POST))).toBe(sentence)
  })

  test('that has no addresses, or is never resolved, fails', async () => {
    const none = createSafeRequest({ allowedHosts: parseAllowedHosts(''), resolve: async () => [] })
    expect(failure(await none('https://hooks.example/', POST))).toBe('The host name has no address.')
    const resolve = () => new Promise<never>(() => {})
    const never = createSafeRequest({ allowedHosts: parseAllowedHosts(''), resolve, connectTimeoutMs: 50 })
    expect(failure(await never('https://hooks.example/', POST))).toBe('The connection timed out.')
  })

  test('of an allowed host is resolved by the system, and may be private', async () => {
    const { port } = await startReceiver((_incoming, outgoing) => outgoing.end())
    const request = createSafeRequest({
      allowedHosts: parseAllowedHosts(`localhost:${port}`),
      resolve: () => expect.fail('asked the name servers of strangers'),
    })
    expect(await request(`http://localhost:${port}/`, POST)).toMatchObject({ kind: 'responded', status: 200 })
  })
})

test('a connection to another address than the checked one is closed before anything is sent', async () => {
  let receivedBytes = 0
  const { port, server } = await listening(
    createTcpServer((socket) => socket.on('data', ({ length }) => (receivedBytes += length))),
    {},
  )
  const connected = once(server, 'connection')
  // The unspecified address connects, but to another one.
  const ask = (address: string) =>
    createSafeRequest({
      allowedHosts: parseAllowedHosts(''),
      resolve: async () => [{ address, family: 4 }],
      totalTimeoutMs: 2_000,
      rules: { findUrlProblem, isPublicAddress: () => true },
    })(`https://hooks.example:${port}/`, POST)
  expect(failure(await ask('0.0.0.0'))).toBe('Webhook URL must not point to a private address.')
  await connected
  await noConnections(server)
  expect(receivedBytes).toBe(0)
  expect(failure(await ask('127.0.0.1'))).toBe('The connection timed out.')
  expect(receivedBytes).toBeGreaterThan(0)
})

async function startReceiver(listener: RequestListener) {
  return listening(createServer(listener), {})
}

async function startRaw(limits: { totalTimeoutMs?: number }, onConnection: (socket: Socket) => void) {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    // The request has arrived by then.
    socket.once('data', () => onConnection(socket))
  })
  return listening(server, limits)
}

async function startTls(name: string, listener: RequestListener) {
  const { key, cert } = await selfSignedCertificate(name)
  return { ...(await listening(createTlsServer({ key, cert }, listener), {})), cert }
}

async function listening<Each extends Server | TcpServer>(server: Each, limits: { totalTimeoutMs?: number }) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  // The address of a listening TCP server.
  const { port } = server.address() as AddressInfo
  const request = createSafeRequest({ allowedHosts: parseAllowedHosts(`127.0.0.1:${port}`), ...limits })
  return { server, port, request }
}

/** As in production, except that an ordinary name resolves to this machine. */
function withoutAddressRules(name: string) {
  return createSafeRequest({
    allowedHosts: parseAllowedHosts(''),
    resolve: async (host) => (host === name ? [{ address: '127.0.0.1', family: 4 }] : []),
    rules: { findUrlProblem, isPublicAddress: () => true },
  })
}

function trust(cert: string): void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, cert])
  onTestFinished(() => setDefaultCACertificates(before))
}

function noConnections(server: TcpServer): Promise<void> {
  return expect
    .poll(() => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))))
    .toBe(0)
}

function answered(outcome: SafeOutcome): SafeResponse {
  if (outcome.kind !== 'responded') throw new Error(outcome.error)
  return outcome
}

function failure(outcome: SafeOutcome): string {
  if (outcome.kind !== 'failed') throw new Error(`answered ${outcome.status}`)
  return outcome.error
}
