/** Shown while a saved session is restored; `index.html` holds the same, for the time before the script runs. */
export function Restoring() {
  return (
    <div className="restoring" role="status">
      <span className="restoring-spinner" aria-hidden />
      Restoring your session...
    </div>
  )
}
