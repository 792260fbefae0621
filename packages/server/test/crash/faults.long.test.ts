import { testFaultsOnEveryBucket } from '../support/fault-tests.ts'

/** Some are streamed, in parts. */
const SIZES = [200, 200, 200, 200, 50_000, 1_200_000]

testFaultsOnEveryBucket({ faults: 2_000, sizes: SIZES, acceptedMin: 100 })
