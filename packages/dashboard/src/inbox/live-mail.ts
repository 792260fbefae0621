/** Whether new mail is shown as it comes. `waiting` until the next try, `offline` when the browser has no network. */
export type LiveState =
  | { kind: 'connecting' }
  | { kind: 'live' }
  | { kind: 'waiting'; until: number }
  | { kind: 'offline' }

/** One try at a stream. After `onLost` nothing more comes of it. */
export type OpenStream<Mail> = (handlers: {
  after: string
  onOpen: () => void
  onMail: (mail: Mail) => void
  onLost: () => void
}) => { close: () => void }

export type LiveMail = {
  /** Does not wait for the next try. */
  tryNow: () => void
  setOnline: (isOnline: boolean) => void
  close: () => void
}

type Options<Mail> = {
  open: OpenStream<Mail>
  /** Nothing up to this place comes again, however often the connection is lost. */
  after: string
  cursorOf: (mail: Mail) => string
  onMail: (mail: Mail) => void
  onState: (state: LiveState) => void
  now: () => number
}

/** Between tries, the last one again and again: a server that restarts is back within seconds. */
const TRY_AFTER_MS = [1_000, 2_000, 3_000, 5_000]
/** A try that nobody answers for so long has failed: someone may have pulled a cable. */
const OPENING_MS_MAX = 10_000

/** Follows new mail over connections that may be lost: each mail once, none left out. */
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
    timer = setTimeout(lose, OPENING_MS_MAX)
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
      const delay = TRY_AFTER_MS[Math.min(failures++, TRY_AFTER_MS.length - 1)]!
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
    tryNow: connect,
    setOnline(isOnline) {
      if (isOnline) return connect()
      stop()
      onState({ kind: 'offline' })
    },
    close: stop,
  }
}
