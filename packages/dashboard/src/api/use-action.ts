import { useMutation } from '@tanstack/react-query'
import { failureOf, type Failure } from './failure.ts'
import { invalidate } from './queries.ts'

export type Action<Input, Output> = {
  run: (input: Input) => void
  isRunning: boolean
  failure: Failure | null
  result: Output | undefined
  reset: () => void
}

type Options<Input, Output> = {
  /** Names of the queries to reload afterwards. */
  changes?: string[]
  onDone?: (output: Output, input: Input) => void
}

/** A mutation with its state. After success, the queries in `changes` reload. */
export function useAction<Input = void, Output = unknown>(
  work: (input: Input) => Promise<Output>,
  { changes = [], onDone }: Options<Input, Output> = {},
): Action<Input, Output> {
  const { mutate, isPending, error, data, reset } = useMutation({
    mutationFn: work,
    async onSuccess(output, input) {
      await invalidate(...changes)
      onDone?.(output, input)
    },
  })
  return { run: mutate, isRunning: isPending, failure: error ? failureOf(error) : null, result: data, reset }
}
