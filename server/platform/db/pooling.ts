/** How a pooler between a process and its database hands connections on: for a session, or for one transaction each. */
export const poolings = ['session', 'transaction'] as const
export type Pooling = (typeof poolings)[number]

/** A process opens no more connections than this unless it is told otherwise. */
export const defaultConnections = 20
