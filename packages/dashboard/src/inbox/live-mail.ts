/** State of the live connection. `waiting`: the next attempt is at `until`. `offline`: the browser has no network. */
export type LiveState =
  | { kind: 'connecting' }
  | { kind: 'live' }
  | { kind: 'waiting'; until: number }
  | { kind: 'offline' }

/** Opens one stream. After `onLost` it calls no other handler. */
export type OpenStream<Mail> = (handlers: {
  after: string
  onOpen: () => void
  onMail: (mail: Mail) => void
  onLost: () => void
}) => { close: () => void }

export type LiveMail = {
  /** Connects at once instead of waiting for the next attempt. */
  retryNow: () => void
  setOnline: (isOnline: boolean) => void
  close: () => void
}

type Options<Mail> = {
  open: OpenStream<Mail>
  /** The cursor to start after. Mail up to it is never delivered again, however often the connection is lost. */
  after: string
  cursorOf: (mail: Mail) => string
  onMail: (mail: Mail) => void
  onState: (state: LiveState) => void
  now: () => number
}

/** Delays between attempts; the last one repeats. Short, because a restarting server is back within seconds. */
const RETRY_DELAYS_MS = [1_000, 2_000, 3_000, 5_000]
/** An attempt without a response for this long has failed, for example because a cable was pulled. */
const CONNECT_TIMEOUT_MS = 10_000

/** Follows new mail across lost connections: every mail exactly once. */
export function followMail<Mail>(options: Options<Mail>): LiveMail {
  const { onMail, onState, cursorOf, now } = options
  let after = options.after
  let failures = 0
  let stream: { close: () => void } | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  function connect(): void {
    clearTimeout(timer)
    stream?.close()
    let isOver = false
    onState({ kind: 'connecting' })
    timer = setTimeout(lose, CONNECT_TIMEOUT_MS)
    const opened = options.open({
      after,
      onOpen() {
        if (isOver) return
        clearTimeout(timer)
        failures = 0
        onState({ kind: 'live' })
      },
      onMail(mail) {
        if (isOver) return
        after = cursorOf(mail)
        onMail(mail)
      },
      onLost: lose,
    })
    stream = {
      close() {
        isOver = true
        opened.close()
      },
    }

    function lose(): void {
      if (isOver) return
      stop()
      const delay = RETRY_DELAYS_MS[Math.min(failures++, RETRY_DELAYS_MS.length - 1)]!
      onState({ kind: 'waiting', until: now() + delay })
      timer = setTimeout(connect, delay)
    }
  }

  function stop(): void {
    clearTimeout(timer)
    stream?.close()
    stream = null
  }

  connect()
  return {
    retryNow: connect,
    setOnline(isOnline) {
      if (isOnline) return connect()
      stop()
      onState({ kind: 'offline' })
    },
    close: stop,
  }
}
