import { AppError } from './errors.ts'

type Route = { method: string; path: string }

/** For a request without a route. A known path with the wrong method is a 405 instead of a 404. */
export function refuseRoute(routes: Route[], path: string): AppError {
  const methods = methodsOf(routes, path)
  if (methods.length === 0) return new AppError('not_found', 'Not found')
  return new AppError('method_not_allowed', `Use ${methods.join(' or ')} here.`, {
    headers: { allow: allowOf(methods) },
  })
}

/** The methods for which the path has a route. */
export function methodsOf(routes: Route[], path: string): string[] {
  const matching = routes.filter((route) => route.method !== 'ALL' && matchesPattern(route.path, path))
  // A literal path takes precedence over a pattern with a parameter in that position.
  const parameters = Math.min(...matching.map((route) => parametersIn(route.path)))
  const closest = matching.filter((route) => parametersIn(route.path) === parameters)
  return Array.from(new Set(closest.map(({ method }) => method)))
}

/** The `Allow` header. A route for GET also serves HEAD. */
export function allowOf(methods: string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

function parametersIn(pattern: string): number {
  return pattern.split('/:').length - 1
}

function matchesPattern(pattern: string, path: string): boolean {
  const segments = path.split('/')
  const wanted = pattern.split('/')
  return (
    segments.length === wanted.length &&
    wanted.every((segment, index) => (segment.startsWith(':') ? segments[index] !== '' : segment === segments[index]))
  )
}
