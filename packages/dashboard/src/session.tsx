import { createContext, useContext } from 'react'
import type { Outputs } from './api/trpc.ts'

export type Session = {
  me: NonNullable<Outputs['user']['me']>
  team: NonNullable<Outputs['team']['current']>
}

const SessionContext = createContext<Session | null>(null)

export const SessionProvider = SessionContext.Provider

/** Who is signed in, and their team; on every page within the shell. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('This part of the page needs someone who is signed in.')
  return session
}

/** Owners change things, members look. */
export function useIsOwner(): boolean {
  return useSession().team.role === 'owner'
}
