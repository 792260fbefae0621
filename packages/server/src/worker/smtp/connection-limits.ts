import type { Limits } from './limits.ts'
import { TOO_MANY_CONNECTIONS, TOO_MANY_FROM_ADDRESS, TOO_MANY_NEW_FROM_ADDRESS } from './replies.ts'

type AddressCount = { open: number; recent: number; windowStartedAt: number }

/** Counts connections in total and per remote address. */
export class ConnectionLimits {
  open = 0
  #limits: Limits
  #addresses = new Map<string, AddressCount>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Reserves a connection and returns `null`, or returns the reply that refuses it. `leave` releases the connection. */
  enter(address: string, now: number): string | null {
    if (this.open >= this.#limits.connectionsMax) return TOO_MANY_CONNECTIONS
    const refusal = isLoopback(address) ? null : this.#enterAddress(address, now)
    if (!refusal) this.open++
    return refusal
  }

  leave(address: string): void {
    this.open--
    const count = this.#addresses.get(address)
    if (count) count.open--
  }

  /** Forgets addresses without open connections whose window has passed. */
  sweep(now: number): void {
    for (const [address, count] of this.#addresses) {
      if (count.open === 0 && this.#isOver(count, now)) this.#addresses.delete(address)
    }
  }

  #enterAddress(address: string, now: number): string | null {
    const count = this.#addresses.get(address) ?? { open: 0, recent: 0, windowStartedAt: now }
    this.#addresses.set(address, count)
    if (this.#isOver(count, now)) {
      count.recent = 0
      count.windowStartedAt = now
    }
    if (count.open >= this.#limits.connectionsPerAddressMax) return TOO_MANY_FROM_ADDRESS
    if (count.recent >= this.#limits.newConnectionsPerAddressMax) return TOO_MANY_NEW_FROM_ADDRESS
    count.open++
    count.recent++
    return null
  }

  #isOver(count: AddressCount, now: number): boolean {
    return now - count.windowStartedAt >= this.#limits.newConnectionsWindowMs
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
}
