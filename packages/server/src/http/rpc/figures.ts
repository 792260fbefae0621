import { usageOf, type TeamUsage } from '../../manage/usage.ts'
import type { Metrics } from '../../manage/metrics.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

export function metricsRouter({ teams }: Pick<RpcPorts, 'teams'>) {
  return router({
    overview: procedure('members').query(({ ctx: { team } }): Promise<Metrics> => teams.metrics.overview(team)),
  })
}

export function usageRouter(ports: Pick<RpcPorts, 'store' | 'now'>) {
  return router({
    current: procedure('members').query(({ ctx: { team } }): Promise<TeamUsage> => usageOf(ports, team)),
  })
}
