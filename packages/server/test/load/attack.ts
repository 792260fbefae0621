import { connect, type Socket } from 'node:net'
import { seededRandom } from '../support/seeded-random.ts'
import { attackKinds, type Attack, type Kind, type KindName } from './attack-kinds.ts'

/** Connections of a kind: `open` at this moment, and `closed` by the server or refused so far. */
export type AttackCounts = Record<KindName, { open: number; closed: number }>

/** Opened at once, so that the server's backlog is not what is tested. */
const OPENING_MAX = 100
/** Slow connections send a byte this often. A write to a connection that the server has closed shows that it is closed. */
const TRICKLE_MS = 1_000
/** Before a connection that the server closed is opened again. */
const AGAIN_MS_MAX = 1_000

/** Holds connections of each kind, and opens each again when the server closes it. */
export function startAttack(attack: Attack) {
  const random = seededRandom(attack.seed)
  const trickles = new Map<Socket, string>()
  const counts: AttackCounts = {
    slow: { open: 0, closed: 0 },
    idleSmtp: { open: 0, closed: 0 },
    idleHttp: { open: 0, closed: 0 },
    unread: { open: 0, closed: 0 },
  }
  const queue = attackKinds(attack)
  let opening = 0

  function openMore(): void {
    while (opening < OPENING_MAX && queue.length > 0) open(queue.shift()!)
  }

  function open(kind: Kind): void {
    opening++
    const socket = connect({ port: kind.port, host: '127.0.0.1', noDelay: true })
    let state: 'opening' | 'open' | 'closed' = 'opening'
    function change(next: 'open' | 'closed'): void {
      if (state === 'closed' || state === next) return
      if (state === 'opening') opening--
      if (state === 'open') counts[kind.name].open--
      counts[kind.name][next]++
      state = next
      openMore()
    }
    socket.on('connect', () => {
      socket.write(kind.begin)
      if (kind.trickle !== undefined) trickles.set(socket, kind.trickle)
      if (kind.accepted === undefined) change('open')
    })
    socket.on('data', (bytes: Buffer) => {
      if (state !== 'opening') return
      if (!bytes.toString('latin1').startsWith(kind.accepted!)) return void socket.destroy()
      change('open')
      if (kind.isUnread) socket.pause()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      change('closed')
      trickles.delete(socket)
      setTimeout(() => {
        queue.push(kind)
        openMore()
      }, random.below(AGAIN_MS_MAX))
    })
  }

  setInterval(() => {
    for (const [socket, text] of trickles) socket.write(text)
  }, TRICKLE_MS)
  openMore()
  return { counts: () => counts }
}
