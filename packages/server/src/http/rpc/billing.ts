import { AppError } from '../../domain/errors.ts'
import type { Billing } from '../../manage/billing.ts'
import type { RpcPorts } from './ports.ts'
import { procedure, router } from './procedures.ts'

export function billingRouter({ teams }: Pick<RpcPorts, 'teams'>) {
  function requireBilling(): Billing {
    if (!teams.billing) throw new AppError('billing_unavailable', 'Billing is not set up on this server.')
    return teams.billing
  }

  return router({
    status: procedure('members').query(async ({ ctx: { team } }) => ({
      isAvailable: teams.billing !== null,
      plan: team.plan,
      isCustomer: teams.billing !== null && (await teams.billing.isCustomer(team)),
    })),

    /** The URL of the payment page. */
    checkout: procedure('owners').mutation(async ({ ctx: { team, signedIn } }) => ({
      url: await requireBilling().checkout(team, signedIn.user.email),
    })),

    /** The URL of the page to change or cancel the subscription. */
    portal: procedure('owners').mutation(async ({ ctx: { team } }) => ({ url: await requireBilling().portal(team) })),
  })
}
