import { connect, type Socket } from 'node:net'

/** How many connections of each kind are held. */
export type Attack = {
  apiPort: number
  smtpPort: number
  /** A key may hold 20 downloads. */
  keys: string[]
  /** Paths of large responses. */
  downloads: string[]
  slow: number
  idleSmtp: number
  idleHttp: number
  unread: number
}

/** `open` at this moment, and `closed` by the server so far. */
export type AttackCounts = { open: number; closed: number }

/** Opened at once, so that the server's backlog is not what is tested. */
const OPENING_MAX = 100
/** A byte this often keeps a connection from being idle. */
const TRICKLE_MS = 1_000
/** Before a connection that the server closed is opened again. */
const AGAIN_MS_MAX = 1_000

type Kind = { port: number; isPaused?: boolean; begin: (socket: Socket) => void }

/** Holds connections that are slow, idle or unread, and opens each again when the server closes it. */
export function startAttack(attack: Attack) {
  const sockets = new Set<Socket>()
  const trickles = new Map<Socket, string>()
  const counts = { closed: 0 }
  let opening = 0
  const queue = kindsOf(attack, trickles)

  function openMore(): void {
    while (opening < OPENING_MAX && queue.length > 0) open(queue.shift()!)
  }

  function open(kind: Kind): void {
    opening++
    const socket = connect({ port: kind.port, host: '127.0.0.1', noDelay: true })
    let isOpening = true
    function opened(): void {
      if (!isOpening) return
      isOpening = false
      opening--
      openMore()
    }
    socket.on('connect', () => {
      opened()
      sockets.add(socket)
      if (kind.isPaused) socket.pause()
      else socket.resume()
      kind.begin(socket)
    })
    socket.on('error', () => {})
    // A paused socket does not notice that it is closed, but the next write to it fails.
    socket.on('close', () => {
      opened()
      counts.closed++
      sockets.delete(socket)
      trickles.delete(socket)
      setTimeout(() => {
        queue.push(kind)
        openMore()
      }, Math.random() * AGAIN_MS_MAX)
    })
  }

  setInterval(() => {
    for (const [socket, text] of trickles) socket.write(text)
  }, TRICKLE_MS)
  openMore()
  return { counts: (): AttackCounts => ({ open: sockets.size, closed: counts.closed }) }
}

function kindsOf(attack: Attack, trickles: Map<Socket, string>): Kind[] {
  const { apiPort, smtpPort, keys, downloads } = attack
  const [key = ''] = keys
  const authorized = (authorization: string) => `Host: localhost\r\nAuthorization: Bearer ${authorization}\r\n`
  const slow: Kind[] = [
    {
      port: apiPort,
      begin(socket) {
        socket.write('GET /v1/me HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
        trickles.set(socket, 'a')
      },
    },
    {
      port: apiPort,
      begin(socket) {
        const head = 'Content-Type: application/json\r\nContent-Length: 100000'
        socket.write(`POST /v1/mailboxes HTTP/1.1\r\n${authorized(key)}${head}\r\n\r\n{"name":"`)
        trickles.set(socket, 'a')
      },
    },
    {
      port: smtpPort,
      begin(socket) {
        socket.write('EHLO slow.test\r\nMAIL FROM:<a@slow.test>\r\nRCPT TO:<qa@mailhatch.test>\r\nDATA\r\n')
        trickles.set(socket, 'a')
      },
    },
    {
      port: apiPort,
      begin(socket) {
        socket.write('GET ')
        trickles.set(socket, '/')
      },
    },
    {
      port: smtpPort,
      begin(socket) {
        socket.write('EHLO ')
        trickles.set(socket, 'a')
      },
    },
  ]
  const idleSmtp: Kind[] = [
    { port: smtpPort, begin() {} },
    { port: smtpPort, begin: (socket) => void socket.write('EHLO idle.test\r\n') },
  ]
  const idleHttp: Kind[] = [
    { port: apiPort, begin() {} },
    { port: apiPort, begin: (socket) => void socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n') },
  ]
  const unread = Array.from({ length: attack.unread }, (_, number): Kind => {
    const path = downloads[number % downloads.length]!
    const request = `GET ${path} HTTP/1.1\r\n${authorized(keys[number % keys.length]!)}\r\n`
    return { port: apiPort, isPaused: true, begin: (socket) => void socket.write(request) }
  })
  return [
    ...times(attack.idleSmtp, idleSmtp),
    ...times(attack.idleHttp, idleHttp),
    ...times(attack.slow, slow),
    ...unread,
  ]
}

function times(count: number, kinds: Kind[]): Kind[] {
  return Array.from({ length: count }, (_, number) => kinds[number % kinds.length]!)
}
