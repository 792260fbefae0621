import type { MessageSummary } from '@mailhatch/sdk'
import { useEffect, useState } from 'react'
import { notifyOfMail } from './mail-notifications.ts'

const NONE: ReadonlySet<string> = new Set()

/** Collects mail that arrives while the tab is hidden, until it is visible again. Shows notifications if enabled. */
export function useUnseenMail(open: (id: string | null) => void) {
  const [ids, setIds] = useState(NONE)
  useEffect(() => {
    const resetIfVisible = () => {
      if (!document.hidden) setIds(NONE)
    }
    document.addEventListener('visibilitychange', resetIfVisible)
    return () => document.removeEventListener('visibilitychange', resetIfVisible)
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
