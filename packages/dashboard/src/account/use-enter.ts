import { useLocation } from 'wouter'
import { askAgain, queryClient } from '../api/queries.ts'
import { isOwnPage } from './own-page.ts'
import { useParameter } from './use-parameter.ts'

/** After signing in: on to where they were going. */
export function useEnter(): () => void {
  const [, navigate] = useLocation()
  const next = useParameter('next')
  return () => {
    queryClient.clear()
    void askAgain('me')
    navigate(isOwnPage(next) ? next : '/', { replace: true })
  }
}
