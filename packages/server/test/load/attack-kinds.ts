/** How many connections of each kind are held, and where. */
export type Attack = Record<KindName, number> & {
  seed: number
  apiPort: number
  smtpPort: number
  /** A key may hold 20 downloads. */
  keys: string[]
  /** Paths of large responses. */
  downloads: string[]
}

export type KindName = 'slow' | 'idleSmtp' | 'idleHttp' | 'unread'

export type Kind = {
  name: KindName
  port: number
  /** Sent when the connection is open. */
  begin: string
  /** Sent every second. */
  trickle?: string
  /** How the server's first bytes begin. Otherwise it has refused the connection. Without it, nothing is expected. */
  accepted?: string
  /** Nothing is read behind the first bytes. */
  isUnread?: true
}

const GREETING = '220 '
/** The server ignores it between two requests. */
const EMPTY_LINE = '\r\n'

export function attackKinds(attack: Attack): Kind[] {
  return [
    ...times(attack.idleSmtp, idleSmtp(attack)),
    ...times(attack.idleHttp, idleHttp(attack)),
    ...times(attack.slow, slow(attack)),
    ...times(attack.unread, unread(attack)),
  ]
}

function slow({ apiPort, smtpPort, keys: [key = ''] }: Attack): Kind[] {
  const length = 'Content-Type: application/json\r\nContent-Length: 100000'
  const mail = 'EHLO slow.test\r\nMAIL FROM:<a@slow.test>\r\nRCPT TO:<qa@mailhatch.test>\r\nDATA\r\n'
  const http = { name: 'slow', port: apiPort, trickle: 'a' } as const
  const smtp = { name: 'slow', port: smtpPort, trickle: 'a', accepted: GREETING } as const
  return [
    { ...http, begin: 'GET /v1/me HTTP/1.1\r\nHost: localhost\r\nX-Slow: ' },
    { ...http, begin: `POST /v1/mailboxes HTTP/1.1\r\n${authorized(key)}${length}\r\n\r\n{"name":"` },
    { ...http, begin: 'GET /' },
    { ...smtp, begin: mail },
    { ...smtp, begin: 'EHLO ' },
  ]
}

function idleSmtp({ smtpPort: port }: Attack): Kind[] {
  return ['', 'EHLO idle.test\r\n'].map((begin) => ({ name: 'idleSmtp', port, begin, accepted: GREETING }))
}

function idleHttp({ apiPort: port }: Attack): Kind[] {
  return ['', 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'].map((begin) => ({ name: 'idleHttp', port, begin }))
}

/** Every key with every download. */
function unread({ apiPort: port, keys, downloads, unread: count }: Attack): Kind[] {
  return Array.from({ length: count }, (_, number) => {
    const path = downloads[Math.floor(number / keys.length) % downloads.length]!
    const begin = `GET ${path} HTTP/1.1\r\n${authorized(keys[number % keys.length]!)}\r\n`
    return { name: 'unread', port, begin, trickle: EMPTY_LINE, accepted: 'HTTP/1.1 200', isUnread: true }
  })
}

const authorized = (key: string) => `Host: localhost\r\nAuthorization: Bearer ${key}\r\n`

function times(count: number, kinds: Kind[]): Kind[] {
  return Array.from({ length: count }, (_, number) => kinds[number % kinds.length]!)
}
