import { AppError } from './errors.ts'

type Route = { method: string; path: string }

/** For a request that no route takes: a known path with the wrong method is a 405, not a 404. */
export function refuseRoute(routes: Route[], path: string): AppError {
  const fitting = routes.filter((route) => route.method !== 'ALL' && fits(route.path, path))
  if (fitting.length === 0) return new AppError('not_found', 'Not found')
  const methods = Array.from(new Set(fitting.map(({ method }) => method)))
  return new AppError('method_not_allowed', `Use ${methods.join(' or ')} here.`, {
    headers: { allow: methods.join(', ') },
  })
}

function fits(pattern: string, path: string): boolean {
  const segments = path.split('/')
  const wanted = pattern.split('/')
  return (
    segments.length === wanted.length &&
    wanted.every((segment, index) => segment === segments[index] || segment.startsWith(':'))
  )
}
