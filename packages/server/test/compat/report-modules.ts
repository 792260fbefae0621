// Preloaded into a child server: tells the parent, when it asks, which modules the child has loaded.
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const loaded = new Set<string>()
registerHooks({
  load(url, context, nextLoad) {
    loaded.add(url)
    return nextLoad(url, context)
  },
})
if (isMainThread) {
  process.on('message', () => process.send?.({ loaded: Array.from(loaded) }))
  // The request may arrive, but does not keep the process alive.
  process.channel?.unref()
}
