/** Timers are not counted, because Vitest has its own, and Node does not list threads. */
const COUNTED = ['TCPServerWrap', 'TCPSocketWrap', 'TLSWrap', 'ProcessWrap']

/** The servers, connections and child processes that this process has opened since, such as `2 TCPSocketWrap`. */
export function watchOpenResources(): () => string[] {
  const before = countByKind()
  return () => {
    const now = countByKind()
    return COUNTED.flatMap((kind) => {
      const more = (now.get(kind) ?? 0) - (before.get(kind) ?? 0)
      return more > 0 ? [`${more} ${kind}`] : []
    })
  }
}

function countByKind(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}
