// The study that the form describes, which is also what the page's address says: a link to the page is a link
// to the study.

const defaults = {
  network: "resnet50",
  gpus: "k80,t4,v100-sxm2",
  instances: "",
  batches: "16:256",
  dataset_size: "1281167",
  epochs: "90",
  mode: "training",
  optimizer: "sgd",
  precision: "",
  dim: "",
};

export function studyOfAddress(address) {
  const given = new URL(address).searchParams;
  const study = { ...defaults };
  for (const name of Object.keys(defaults)) {
    if (given.has(name)) study[name] = given.get(name);
  }
  return study;
}

export function studyOfForm(form) {
  const study = {};
  for (const name of Object.keys(defaults)) study[name] = form.elements[name].value.trim();
  return study;
}

export function fillForm(form, study) {
  for (const [name, value] of Object.entries(study)) form.elements[name].value = value;
}

// Without what is empty.
export function parametersOf(study) {
  return Object.fromEntries(Object.entries(study).filter(([, value]) => value !== ""));
}
