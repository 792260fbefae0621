import { registerHooks } from 'node:module'

/** Longer than any attempt at a receiver on the same machine. */
const LEASE_MS = 5_000

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/notify/sender.ts')) return loaded
    const { source } = loaded
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source)
    if (!text.includes('leaseMs: 60_000')) throw new Error('the lease is not where this test looks for it')
    return { ...loaded, source: text.replace('leaseMs: 60_000', `leaseMs: ${LEASE_MS}`) }
  },
})
