import { AppError } from './errors.ts'

type Route = { method: string; path: string }

/** For a request that no route takes: a known path with the wrong method is a 405, not a 404. */
export function refuseRoute(routes: Route[], path: string): AppError {
  const fitting = routes.filter((route) => route.method !== 'ALL' && fits(route.path, path))
  if (fitting.length === 0) return new AppError('not_found', 'Not found')
  // A path that is spelled out in a route is no example of one with an id in that place.
  const parameters = Math.min(...fitting.map((route) => parametersIn(route.path)))
  const closest = fitting.filter((route) => parametersIn(route.path) === parameters)
  const methods = Array.from(new Set(closest.map(({ method }) => method)))
  return new AppError('method_not_allowed', `Use ${methods.join(' or ')} here.`, {
    headers: { allow: methods.join(', ') },
  })
}

function parametersIn(pattern: string): number {
  return pattern.split('/:').length - 1
}

function fits(pattern: string, path: string): boolean {
  const segments = path.split('/')
  const wanted = pattern.split('/')
  return (
    segments.length === wanted.length &&
    wanted.every((segment, index) => segment === segments[index] || segment.startsWith(':'))
  )
}
