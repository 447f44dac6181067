/** Where a call is, and what goes into its address; `params` by the names in its path. */
export type Addressed = { params?: object | undefined; query?: object | undefined }

/** The address of a call with its parameters. What is null, empty or undefined in the query is not asked for. */
export function addressOf({ path }: { path: string }, { params, query }: Addressed): string {
  const values = new Map(Object.entries(params ?? {}))
  const place = path.replaceAll(/:(\w+)/g, (_whole, name: string) =>
    encodeURIComponent(String(values.get(name) ?? '')),
  )
  const asked = Object.entries(query ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  const search = asked.map(([name, value]) => `${written(name)}=${written(value)}`).join('&')
  return `/api${place}${search === '' ? '' : `?${search}`}`
}

/** As forms write it. */
const written = (value: unknown) => encodeURIComponent(String(value)).replaceAll('%20', '+')
