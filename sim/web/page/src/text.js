// Numbers for people.

export function short(number) {
  if (number === null || number === undefined) return "";
  const size = Math.abs(number);
  if (size >= 1000) return Math.round(number).toLocaleString("en");
  return Number(number.toPrecision(3)).toString();
}

export function duration(seconds) {
  if (seconds < 1) return `${short(1000 * seconds)} ms`;
  if (seconds < 120) return `${short(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 72) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function dollars(usd) {
  if (usd === null) return "";
  return usd < 10 ? `$${usd.toFixed(2)}` : `$${Math.round(usd).toLocaleString("en")}`;
}
