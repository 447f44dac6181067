/**
 * The language in which the web app speaks, counts, sorts and writes days: the one place that says so. The build writes the tag of
 * another language here when it makes the web app in that language; the server always has this one.
 */
export const language = 'en-US'
