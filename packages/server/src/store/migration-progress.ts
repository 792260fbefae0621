/** How many of a table's rows a migration has moved. */
export type MigrationProgress = { table: string; done: number; total: number }

export type OnMigration = (progress: MigrationProgress) => void
