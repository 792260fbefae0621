import { useQuery } from '@tanstack/react-query'
import type { Outputs } from '../api/trpc.ts'
import { useSession } from '../session.tsx'
import { otherQueries } from './other-queries.ts'

export type OtherSummary = Outputs['inbox']['others']['summary']

/** The current numbers; null while they load, and for users who may not see this mail. */
export function useOtherSummary(): OtherSummary | null {
  const { seesUnrouted } = useSession().team
  const { data } = useQuery({ ...otherQueries.summary, enabled: seesUnrouted })
  return seesUnrouted && data ? data : null
}
