// Requests to the server that the page came from.

async function read(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  throw new Error(body?.error?.message ?? `the server answered ${response.status}`);
}

export async function get(path, parameters, signal) {
  return read(await fetch(url(path, parameters), { signal }));
}

export async function upload(file) {
  const response = await fetch(url("networks", { name: file.name }), {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });
  return read(response);
}

export function url(path, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  return `/api/v1/${path}${query ? `?${query}` : ""}`;
}
