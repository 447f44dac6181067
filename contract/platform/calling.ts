/** Where a call is, and what goes into its address; `params` by the names in its path. */
export type Addressed = { params?: object | undefined; query?: object | undefined }

/** The address of a call with its parameters. What is null, empty or undefined in the query is not asked for. */
export function addressOf({ path }: { path: string }, { params, query }: Addressed): string {
  const values = new Map(Object.entries(params ?? {}))
  const place = path.replaceAll(/:(\w+)/g, (_whole, name: string) =>
    encodeURIComponent(String(values.get(name) ?? '')),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  return `/api${place}${search.size > 0 ? `?${search.toString()}` : ''}`
}
