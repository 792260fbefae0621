import type { MessageSummary } from '@mailhatch/sdk'
import { useEffect, useState } from 'react'
import { notifyOfMail } from './mail-notifications.ts'

const NONE: ReadonlySet<string> = new Set()

/** Mail that comes while nobody looks at the tab: counted until someone does, and told of where that was asked for. */
export function useUnseenMail(open: (id: string | null) => void) {
  const [ids, setIds] = useState(NONE)
  useEffect(() => {
    const look = () => {
      if (!document.hidden) setIds(NONE)
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return {
    ids,
    take(mails: MessageSummary[]): void {
      if (!document.hidden) return
      setIds((before) => before.union(new Set(mails.map(({ id }) => id))))
      notifyOfMail(mails, open)
    },
  }
}
