/** "0:50", "1:02:03"; whole seconds. */
export function clockOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const two = (n: number) => String(n).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}
