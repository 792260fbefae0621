import { NotFoundError } from './errors.ts'
import { checkOptions, oneOf, wholeNumber, type OptionChecks } from './options.ts'
import { definitionsOf, type StepDefinition } from './scenario-steps.ts'
import { REQUEST_OPTIONS, requestOptions, type RequestOptions, type Transport } from './transport.ts'
import type { Scenario } from './wire.ts'

export type ScenarioOptions = RequestOptions & {
  /** `prefix`: also for other tags of the mailbox that begin like this one. Default: `exact`. */
  match?: Scenario['match'] | undefined
  /** After how many seconds it ends. Default: 600, at most a day. */
  expiresIn?: number | undefined
}

const SCENARIO_OPTIONS: OptionChecks<ScenarioOptions> = {
  match: oneOf('exact', 'prefix'),
  expiresIn: wholeNumber(1),
  ...REQUEST_OPTIONS,
}

/** A scenario that was created. */
export type Script = {
  readonly id: string
  /** How far it has come. Throws a `NotFoundError` if it has ended. */
  state(): Promise<Scenario>
  /** Accepts mail as usual from now on. Does nothing if the scenario has ended, or was replaced. */
  end(): Promise<void>
}

export type Scenarios = ReturnType<typeof createScenarios>

const pathOf = (id: string): string => `/v1/scenarios/${encodeURIComponent(id)}`

export function createScenarios(transport: Transport) {
  const get = (id: string, options: RequestOptions = {}): Promise<Scenario> =>
    transport.data({ ...requestOptions(options), path: pathOf(id) })
  const end = (id: string, options: RequestOptions = {}): Promise<{ id: string }> =>
    transport.data({ ...requestOptions(options), method: 'DELETE', path: pathOf(id) })

  return {
    /**
     * Scripts the mail to an address. Resolves when it is in effect. It replaces the scenario of the same address.
     *
     * @example
     * await mailhatch.scenarios.create('qa+signup@mailhatch.test', [reject(451).times(2), accept()])
     */
    async create(to: string, steps: StepDefinition[], options: ScenarioOptions = {}): Promise<Script> {
      const { match, expiresIn, ...request } = checkOptions('script', options, SCENARIO_OPTIONS)
      const body = { to, match, expiresIn, steps: definitionsOf(steps) }
      const { scenario, activeInMs } = await transport.data<{ scenario: Scenario; activeInMs: number }>({
        ...request,
        method: 'POST',
        path: '/v1/scenarios',
        body,
      })
      if (activeInMs > 0) await new Promise<void>((resolve) => setTimeout(resolve, activeInMs))
      const { id } = scenario
      return {
        id,
        state: () => get(id).catch(unlessEnded(hasEnded(to))),
        async end() {
          await end(id).catch(unlessEnded(() => null))
        },
      }
    },

    /**
     * The scenarios of the team that have not ended, newest first.
     *
     * @example
     * const scenarios = await mailhatch.scenarios.list()
     */
    list: (options: RequestOptions = {}): Promise<Scenario[]> =>
      transport.data({ ...requestOptions(options), path: '/v1/scenarios' }),

    /**
     * A scenario and which step is next.
     *
     * @example
     * const { nextStep } = await mailhatch.scenarios.get(script.id)
     */
    get,

    /**
     * Ends a scenario.
     *
     * @example
     * await mailhatch.scenarios.delete(script.id)
     */
    delete: end,
  }
}

/** Calls `ended` if the scenario does not exist any more. */
function unlessEnded<Result>(ended: (error: NotFoundError) => Result): (error: unknown) => Result {
  return (error) => {
    if (error instanceof NotFoundError && error.code === 'not_found') return ended(error)
    throw error
  }
}

function hasEnded(to: string): (error: NotFoundError) => never {
  return ({ status, body }) => {
    const text = `The scenario for ${to} has ended: by end(), after its time, or because another one for the same address replaced it.`
    throw new NotFoundError(text, { status, body: { ...body, error: text } })
  }
}
