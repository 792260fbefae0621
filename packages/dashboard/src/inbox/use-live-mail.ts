import type { MessageSummary } from '@mailhatch/sdk'
import { useEffect, useRef, useState } from 'react'
import { failureOf } from '../api/failure.ts'
import { askAgain } from '../api/queries.ts'
import { trpc } from '../api/trpc.ts'
import { followMail, type LiveMail, type LiveState, type OpenStream } from './live-mail.ts'
import type { Filter } from './search-terms.ts'

/** Mail that comes within this time is drawn at once: a thousand mails are no thousand drawings. */
const TOGETHER_MS = 40

type Options = {
  filter: Filter
  /** The place up to which the list is complete; undefined until it is there. */
  after: string | undefined
  onMails: (mails: MessageSummary[]) => void
}

/** New mail that matches the filter, as it comes, and how the connection is. */
export function useLiveMail({ filter, after, onMails }: Options): { state: LiveState; tryNow: () => void } {
  const [state, setState] = useState<LiveState>({ kind: 'connecting' })
  const live = useRef<LiveMail | null>(null)
  const latest = useRef({ after, onMails })
  latest.current = { after, onMails }
  const isListThere = after !== undefined
  const filterText = JSON.stringify(filter)

  useEffect(() => {
    const { after: start } = latest.current
    if (!isListThere || start === undefined) return
    let waiting: MessageSummary[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const current = followMail<MessageSummary>({
      // Written as text a moment ago.
      open: openStream(JSON.parse(filterText) as Filter),
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
        }, TOGETHER_MS)
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

  return { state, tryNow: () => live.current?.tryNow() }
}

function openStream(filter: Filter): OpenStream<MessageSummary> {
  return ({ after, onOpen, onMail, onLost }) => {
    const { unsubscribe } = trpc.inbox.messages.follow.subscribe(
      { ...filter, after },
      {
        onStarted: onOpen,
        onData: ({ data }) => onMail(data),
        onComplete: onLost,
        onStopped: onLost,
        onError(error) {
          if (failureOf(error).code === 'unauthorized') void askAgain('me')
          onLost()
        },
        // It would come back by itself, without a word about when.
        onConnectionStateChange: ({ state, error }) => {
          if (state === 'connecting' && error) onLost()
        },
      },
    )
    return { close: unsubscribe }
  }
}
