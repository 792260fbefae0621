import { createContext, useContext } from 'react'
import type { Outputs } from './api/trpc.ts'

export type Session = {
  me: NonNullable<Outputs['user']['me']>
  team: NonNullable<Outputs['team']['current']>
}

const SessionContext = createContext<Session | null>(null)

export const SessionProvider = SessionContext.Provider

/** The signed-in user and their team. Available on every page inside the shell. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession must be used inside SessionProvider.')
  return session
}

/** Owners can change settings, members can only read. */
export function useIsOwner(): boolean {
  return useSession().team.role === 'owner'
}
