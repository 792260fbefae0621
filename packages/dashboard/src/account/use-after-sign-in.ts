import { useLocation } from 'wouter'
import { invalidate, queryClient } from '../api/queries.ts'
import { isOwnPage } from './own-page.ts'
import { useParameter } from './use-parameter.ts'

/** Clears cached data and opens the page that asked for the sign-in. */
export function useAfterSignIn(): () => void {
  const [, navigate] = useLocation()
  const next = useParameter('next')
  return () => {
    queryClient.clear()
    void invalidate('me')
    navigate(isOwnPage(next) ? next : '/', { replace: true })
  }
}
