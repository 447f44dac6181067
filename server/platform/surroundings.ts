/**
 * What stands around this process and must not reach what it does; imported before anything connects. The driver of the database mixes
 * the variables of PostgreSQL's own programs (PGSSLMODE, PGOPTIONS, PGHOST …) into every connection, although they speak of another
 * database: our addresses say everything. They are taken out here, and so out of every process that this one starts.
 */
const foreign = Object.entries(process.env).filter(([name]) => /^PG[A-Z]+$/.test(name))
for (const [name] of foreign) delete process.env[name]

/** Those that were there. */
export const foreignVariables: ReadonlyMap<string, string> = new Map(
  foreign.map(([name, value]) => [name, value ?? '']),
)

// Whoever reads what we print may go (`npm start | head`): that is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
