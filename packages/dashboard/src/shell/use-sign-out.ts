import { useLocation } from 'wouter'
import { auth } from '../api/auth.ts'
import { queryClient } from '../api/queries.ts'
import { useAction } from '../api/use-action.ts'

/** Signs out and clears all cached data. */
export function useSignOut(everywhere = false) {
  const [, navigate] = useLocation()
  return useAction(everywhere ? auth.signOutEverywhere : auth.signOut, {
    onDone: () => {
      navigate('/sign-in')
      queryClient.clear()
    },
  })
}
