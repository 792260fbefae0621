import { describeExamples, EXAMPLES } from './support/cli-examples.ts'

describeExamples(EXAMPLES)
