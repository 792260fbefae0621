import { AppError } from './errors.ts'

type Route = { method: string; path: string }

/** For a request that no route takes: a known path with the wrong method is a 405, not a 404. */
export function refuseRoute(routes: Route[], path: string): AppError {
  const methods = methodsOf(routes, path)
  if (methods.length === 0) return new AppError('not_found', 'Not found')
  return new AppError('method_not_allowed', `Use ${methods.join(' or ')} here.`, {
    headers: { allow: allowOf(methods) },
  })
}

/** The methods that the path has a route for. */
export function methodsOf(routes: Route[], path: string): string[] {
  const fitting = routes.filter((route) => route.method !== 'ALL' && fits(route.path, path))
  // A path that is spelled out in a route is no example of one with an id in that place.
  const parameters = Math.min(...fitting.map((route) => parametersIn(route.path)))
  const closest = fitting.filter((route) => parametersIn(route.path) === parameters)
  return Array.from(new Set(closest.map(({ method }) => method)))
}

/** For the header `Allow`: what answers GET answers HEAD. */
export function allowOf(methods: string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

function parametersIn(pattern: string): number {
  return pattern.split('/:').length - 1
}

function fits(pattern: string, path: string): boolean {
  const segments = path.split('/')
  const wanted = pattern.split('/')
  return (
    segments.length === wanted.length &&
    wanted.every((segment, index) => (segment.startsWith(':') ? segments[index] !== '' : segment === segments[index]))
  )
}
