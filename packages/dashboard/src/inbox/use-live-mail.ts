import { useEffect, useRef, useState } from 'react'
import { failureOf } from '../api/failure.ts'
import { invalidate } from '../api/queries.ts'
import { trpc } from '../api/trpc.ts'
import { followMail, type LiveMail, type LiveState, type OpenStream } from './live-mail.ts'
import type { ListedMessage } from './message-pages.ts'
import { applyMarks } from './read-marks.ts'
import type { Filter } from './search-terms.ts'

/** Messages that arrive within this time are rendered together, so that a thousand of them do not cause a thousand renders. */
const BATCH_MS = 40

type Options = {
  filter: Filter
  /** The cursor up to which the list is complete; undefined while it loads. */
  after: string | undefined
  /** The state of the read marks in the list. Later changes are applied to all lists. */
  marks: string | undefined
  onMails: (mails: ListedMessage[]) => void
}

/** Calls `onMails` with new mail that matches the filter; returns the state of the connection. */
export function useLiveMail({ filter, after, marks, onMails }: Options): { state: LiveState; retryNow: () => void } {
  const [state, setState] = useState<LiveState>({ kind: 'connecting' })
  const live = useRef<LiveMail | null>(null)
  const latest = useRef({ after, marks, onMails })
  latest.current = { after, marks, onMails }
  const isListThere = after !== undefined
  const filterText = JSON.stringify(filter)

  useEffect(() => {
    const { after: start, marks: startMarks } = latest.current
    if (!isListThere || start === undefined) return
    let waiting: ListedMessage[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const current = followMail<ListedMessage>({
      // Serialised above, so the type is known.
      open: openStream(JSON.parse(filterText) as Filter, startMarks),
      after: start,
      cursorOf: ({ cursor }) => cursor,
      onState: setState,
      now: Date.now,
      onMail(mail) {
        waiting.push(mail)
        timer ??= setTimeout(() => {
          latest.current.onMails(waiting)
          waiting = []
          timer = undefined
        }, BATCH_MS)
      },
    })
    live.current = current
    const goOnline = () => current.setOnline(true)
    const goOffline = () => current.setOnline(false)
    window.addEventListener('online', goOnline)
    window.addEventListener('offline', goOffline)
    return () => {
      clearTimeout(timer)
      current.close()
      window.removeEventListener('online', goOnline)
      window.removeEventListener('offline', goOffline)
    }
  }, [filterText, isListThere])

  return { state, retryNow: () => live.current?.retryNow() }
}

function openStream(filter: Filter, startMarks: string | undefined): OpenStream<ListedMessage> {
  let marks = startMarks
  return ({ after, onOpen, onMail, onLost }) => {
    const { unsubscribe } = trpc.inbox.messages.follow.subscribe(
      { ...filter, after, ...(marks !== undefined && { marks }) },
      {
        onStarted: onOpen,
        onData(event) {
          if ('data' in event) return onMail(event.data)
          marks = event.marks
          applyMarks(event)
        },
        onComplete: onLost,
        onStopped: onLost,
        onError(error) {
          if (failureOf(error).code === 'unauthorized') void invalidate('me')
          onLost()
        },
        // tRPC would reconnect on its own, without telling when.
        onConnectionStateChange: ({ state, error }) => {
          if (state === 'connecting' && error) onLost()
        },
      },
    )
    return { close: unsubscribe }
  }
}
