/** A sheet that its script brings along, and puts into the page when it runs: see `build/adopted.ts`. */
declare module '*.module.css?adopted' {
  /** The name that the build gave to a class. */
  export const named: (name: string) => string
}
