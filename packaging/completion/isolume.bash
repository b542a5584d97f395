# Completion of isolume-batch and isolume for bash; written by isolume-batch completion bash.

_isolume_choices() {
  case "$1" in
    "anatomy atlas --intensities") echo "range kept" ;;
    "anatomy atlas --linear") echo "none rigid affine" ;;
    "anatomy atlas --metric") echo "squares correlation" ;;
    "anatomy atlas --model") echo "fluid lddmm" ;;
    "anatomy atlas --similarity") echo "mutual-information correlation squares" ;;
    "anatomy atlas --smoothing") echo "helmholtz gaussian" ;;
    "anatomy cut --method") echo "graph-cut random-walker region-growing watershed" ;;
    "anatomy neuron --axis") echo "first second third" ;;
    "anatomy neuron --membrane") echo "dark bright" ;;
    "anatomy register --intensities") echo "range kept" ;;
    "anatomy register --linear") echo "none rigid affine" ;;
    "anatomy register --metric") echo "squares correlation mutual-information" ;;
    "anatomy register --model") echo "fluid b-spline lddmm demons" ;;
    "anatomy register --similarity") echo "mutual-information correlation squares landmarks" ;;
    "anatomy register --smoothing") echo "helmholtz gaussian" ;;
    "bench electrostatics --dielectric") echo "constant distance" ;;
    "bench electrostatics --engine") echo "auto cpu cuda emulated" ;;
    "bench electrostatics --kernel") echo "auto shared constant sorted-bins fixed-bins mixed single sites" ;;
    "bench electrostatics --method") echo "all direct cutoff debye-hueckel fmm multilevel pme pb-linear pb-nonlinear quantum" ;;
    "bench livewire --engine") echo "all cpu cpu-delta cuda emulated" ;;
    "bench nbody --engine") echo "auto cpu cuda emulated" ;;
    "bench nbody --softening-kind") echo "plummer spline" ;;
    "bench nbody --solver") echo "all best direct barnes-hut fmm" ;;
    "bench orbitals --engine") echo "auto cpu cuda emulated" ;;
    "compute --field") echo "orbital orbital-density density alpha-density beta-density spin-density density-difference superposition superposition-density" ;;
    "compute --spin") echo "alpha beta" ;;
    "electrostatics charges --kind") echo "esp mulliken loewdin" ;;
    "electrostatics difference --map-unit") echo "stated kT/e mV kcal/mol/e Eh/e" ;;
    "electrostatics difference --other-unit") echo "stated kT/e mV kcal/mol/e Eh/e" ;;
    "electrostatics difference --unit") echo "stated kT/e mV kcal/mol/e Eh/e" ;;
    "electrostatics ions --charge-spline") echo "linear quadratic quartic" ;;
    "electrostatics ions --dielectric") echo "constant distance" ;;
    "electrostatics ions --force-field") echo "amber charmm parse" ;;
    "electrostatics ions --interface") echo "harmonic sharp" ;;
    "electrostatics ions --method") echo "direct cutoff debye-hueckel fmm multilevel pme pb-linear pb-nonlinear" ;;
    "electrostatics ions --pka") echo "standard propka" ;;
    "electrostatics ions --surface") echo "ses vdw spline" ;;
    "electrostatics ions --unit") echo "kT/e mV kcal/mol/e Eh/e" ;;
    "electrostatics ions --unknown") echo "uncharged equalise" ;;
    "electrostatics potential --charge-spline") echo "linear quadratic quartic" ;;
    "electrostatics potential --dielectric") echo "constant distance" ;;
    "electrostatics potential --force-field") echo "amber charmm parse" ;;
    "electrostatics potential --interface") echo "harmonic sharp" ;;
    "electrostatics potential --method") echo "direct cutoff debye-hueckel fmm multilevel pme pb-linear pb-nonlinear" ;;
    "electrostatics potential --on-surface") echo "gaussian ses sas vdw" ;;
    "electrostatics potential --pka") echo "standard propka" ;;
    "electrostatics potential --surface") echo "ses vdw spline" ;;
    "electrostatics potential --unit") echo "kT/e mV kcal/mol/e Eh/e" ;;
    "electrostatics potential --unknown") echo "uncharged equalise" ;;
    "electrostatics prepare --force-field") echo "amber charmm parse" ;;
    "electrostatics prepare --pka") echo "standard propka" ;;
    "electrostatics prepare --unknown") echo "uncharged equalise" ;;
    "electrostatics render --charge-spline") echo "linear quadratic quartic" ;;
    "electrostatics render --colour-range") echo "usual locked free" ;;
    "electrostatics render --compare") echo "nothing half-spacing direct debye-hueckel pb-linear pb-nonlinear map" ;;
    "electrostatics render --dielectric") echo "constant distance" ;;
    "electrostatics render --difference-to") echo "nothing wavefunction esp mulliken loewdin map" ;;
    "electrostatics render --force-field") echo "amber charmm parse" ;;
    "electrostatics render --form") echo "gaussian ses sas vdw density" ;;
    "electrostatics render --interface") echo "harmonic sharp" ;;
    "electrostatics render --ion") echo "usual na k mg ca zn cl" ;;
    "electrostatics render --ions") echo "none counter-ions counter-ions-and-salt salt count" ;;
    "electrostatics render --labels") echo "none element name residue charge radius" ;;
    "electrostatics render --map-shown") echo "difference itself" ;;
    "electrostatics render --map-unit") echo "stated kT/e mV kcal/mol/e Eh/e" ;;
    "electrostatics render --method") echo "direct cutoff debye-hueckel fmm multilevel pme pb-linear pb-nonlinear" ;;
    "electrostatics render --pka") echo "standard propka" ;;
    "electrostatics render --potential-of") echo "wavefunction esp mulliken loewdin" ;;
    "electrostatics render --ribbon") echo "none chains with-atoms" ;;
    "electrostatics render --ribbon-colour") echo "structure chain potential" ;;
    "electrostatics render --salt-anion") echo "cl br f i" ;;
    "electrostatics render --salt-cation") echo "na k mg ca" ;;
    "electrostatics render --shown") echo "surface potential nothing" ;;
    "electrostatics render --slice-axis") echo "x y z widest" ;;
    "electrostatics render --style") echo "smooth mesh points" ;;
    "electrostatics render --surface") echo "ses vdw spline" ;;
    "electrostatics render --unit") echo "kT/e mV kcal/mol/e Eh/e" ;;
    "electrostatics render --unknown") echo "uncharged equalise" ;;
    "electrostatics residues --charge-spline") echo "linear quadratic quartic" ;;
    "electrostatics residues --dielectric") echo "constant distance" ;;
    "electrostatics residues --force-field") echo "amber charmm parse" ;;
    "electrostatics residues --form") echo "gaussian ses sas vdw" ;;
    "electrostatics residues --interface") echo "harmonic sharp" ;;
    "electrostatics residues --method") echo "direct cutoff debye-hueckel fmm multilevel pme pb-linear pb-nonlinear" ;;
    "electrostatics residues --pka") echo "standard propka" ;;
    "electrostatics residues --surface") echo "ses vdw spline" ;;
    "electrostatics residues --unit") echo "kT/e mV kcal/mol/e Eh/e" ;;
    "electrostatics residues --unknown") echo "uncharged equalise" ;;
    "livewire import --axis") echo "axial coronal sagittal 0 1 2" ;;
    "livewire import --nested") echo "filled holes" ;;
    "livewire import --values") echo "stored suv-bw suv-lbm suv-bsa" ;;
    "livewire render --axis") echo "axial coronal sagittal 0 1 2" ;;
    "livewire render --values") echo "stored suv-bw suv-lbm suv-bsa" ;;
    "livewire trace --axis") echo "axial coronal sagittal 0 1 2" ;;
    "livewire trace --cost") echo "features thesis" ;;
    "livewire trace --gradient-filter") echo "sobel gaussian" ;;
    "livewire trace --neighbours") echo "4 8" ;;
    "livewire trace --values") echo "stored suv-bw suv-lbm suv-bsa" ;;
    "nbody convert --scene") echo "plummer king hernquist collapse cube galaxy encounter binary figure-eight butterfly moth yin-yang ring solar-system cosmological-box" ;;
    "nbody convert --units") echo "file kpc pc au si g1" ;;
    "nbody forces --softening-kind") echo "plummer spline" ;;
    "nbody forces --solver") echo "best direct barnes-hut fmm particle-mesh" ;;
    "nbody forces --units") echo "file kpc pc au si g1" ;;
    "nbody render --collisions") echo "none merge bounce" ;;
    "nbody render --colour-by") echo "speed density potential origin id" ;;
    "nbody render --follow") echo "nothing body centre-of-mass" ;;
    "nbody render --integrator") echo "leapfrog hermite" ;;
    "nbody render --scene") echo "plummer king hernquist collapse cube galaxy encounter binary figure-eight butterfly moth yin-yang ring solar-system cosmological-box" ;;
    "nbody render --sizes") echo "automatic light compressed to-scale" ;;
    "nbody render --softening-kind") echo "plummer spline" ;;
    "nbody render --solver") echo "best direct barnes-hut fmm particle-mesh" ;;
    "nbody render --time-steps") echo "global block" ;;
    "nbody render --trails") echo "none body all" ;;
    "nbody render --units") echo "file kpc pc au si g1" ;;
    "nbody run --collisions") echo "none merge bounce" ;;
    "nbody run --integrator") echo "leapfrog hermite" ;;
    "nbody run --scene") echo "plummer king hernquist collapse cube galaxy encounter binary figure-eight butterfly moth yin-yang ring solar-system cosmological-box" ;;
    "nbody run --softening-kind") echo "plummer spline" ;;
    "nbody run --solver") echo "best direct barnes-hut fmm particle-mesh" ;;
    "nbody run --time-steps") echo "global block" ;;
    "nbody run --units") echo "file kpc pc au si g1" ;;
    "orbitals compute --field") echo "orbital orbital-density density alpha-density beta-density spin-density density-difference superposition superposition-density" ;;
    "orbitals compute --spin") echo "alpha beta" ;;
    "orbitals render --colour-by") echo "sign orbital density spin-density potential" ;;
    "orbitals render --colour-range") echo "usual locked free" ;;
    "orbitals render --field") echo "orbital orbital-density density alpha-density beta-density spin-density density-difference superposition superposition-density" ;;
    "orbitals render --isovalue-mode") echo "value enclosed" ;;
    "orbitals render --potential-unit") echo "kT/e mV kcal/mol/e Eh/e" ;;
    "orbitals render --slice-axis") echo "x y z widest" ;;
    "orbitals render --spin") echo "alpha beta" ;;
    "orbitals render --style") echo "smooth mesh points" ;;
    "reconstruction ct --arc") echo "all short" ;;
    "reconstruction ct --filter") echo "ram-lak shepp-logan cosine hamming hann" ;;
    "reconstruction ct --method") echo "fdk os-sirt cgls" ;;
    "reconstruction simulate --arc") echo "all short" ;;
    "render --colour-by") echo "sign orbital density spin-density potential" ;;
    "render --colour-range") echo "usual locked free" ;;
    "render --field") echo "orbital orbital-density density alpha-density beta-density spin-density density-difference superposition superposition-density" ;;
    "render --isovalue-mode") echo "value enclosed" ;;
    "render --potential-unit") echo "kT/e mV kcal/mol/e Eh/e" ;;
    "render --slice-axis") echo "x y z widest" ;;
    "render --spin") echo "alpha beta" ;;
    "render --style") echo "smooth mesh points" ;;
  esac
}

_isolume_words() {
  case "$1" in
    "") echo "orbitals livewire nbody electrostatics flames anatomy reconstruction bench devices script commands describe compute render convert precompile --help --version" ;;
    "anatomy") echo "register atlas warp compose invert jacobian labels filter statistics cut surfaces neuron neuron-phantom" ;;
    "anatomy atlas") echo "--help -h --json --threads --output -o --variance --field --weight --ages --age --kernel-years --plan --linear --similarity --model --time-steps --regularity --smoothness --smoothing --compressibility --metric --window --largest-step --levels --iterations --intensities --engine --devices --memory" ;;
    "anatomy compose") echo "--help -h --json --threads --output -o --like --fsl-fixed --fsl-moving" ;;
    "anatomy cut") echo "--help -h --json --threads --seeds --output -o --background --certainty --basins --method --edge --likelihood --tolerance --basin-smoothing" ;;
    "anatomy filter") echo "--help -h --json --threads --output -o --apply --chain --save-chain --list" ;;
    "anatomy invert") echo "--help -h --json --threads --output -o --like" ;;
    "anatomy jacobian") echo "--help -h --json --threads --output -o --like" ;;
    "anatomy labels") echo "--help -h --json --threads --names --csv --distances" ;;
    "anatomy neuron") echo "--help -h --json --threads --at --voxels --output -o --labels --table --axis --membrane --membrane-least --membrane-most --neuron-denoise --neuron-image --neuron-ribbon --neuron-smoothness --neuron-continuity --neuron-radius --neuron-move" ;;
    "anatomy neuron-phantom") echo "--help -h --json --threads --output -o --truth --side --slices" ;;
    "anatomy register") echo "--help -h --json --threads --output -o --field --initial --linear-map --flow --landmarks --fixed-mask --moving-mask --fixed-labels --moving-labels --surface-labels --fixed-class --moving-class --affine-only --linear --similarity --model --control-spacing --bending --time-steps --regularity --velocity-smoothness --landmark-weight --smoothness --smoothing --compressibility --metric --window --largest-step --levels --iterations --intensities --engine --classes --surface-weight --kernel-width --devices" ;;
    "anatomy statistics") echo "--help -h --json --threads --csv" ;;
    "anatomy surfaces") echo "--help -h --json --threads --output -o --touching --optimise-mesh --label" ;;
    "anatomy warp") echo "--help -h --json --threads --output -o --like --nearest --labels --inverse" ;;
    "bench") echo "orbitals livewire nbody electrostatics flames anatomy reconstruction gpu" ;;
    "bench anatomy") echo "--help -h --json --threads --sizes --engine" ;;
    "bench electrostatics") echo "--help -h --method --dielectric --wavefunction --atoms --spacing --file --points --cutoff --error --threads --engine --kernel --devices --json" ;;
    "bench flames") echo "--help -h --json --clouds --threads" ;;
    "bench gpu") echo "--help -h --isovalue --devices --json" ;;
    "bench livewire") echo "--help -h --engine --sizes --runs --moves --threads --delta --all --json" ;;
    "bench nbody") echo "--help -h --solver --bodies --error --opening-angle --threads --engine --devices --softening --softening-kind --crossover --json" ;;
    "bench orbitals") echo "--help -h --threads --engine --points --kernel --devices --json" ;;
    "bench reconstruction") echo "--help -h --json --threads --size --views" ;;
    "commands") echo "--help -h --lab --json" ;;
    "compute") echo "--help -h --output -o --json --field --set --orbital --spin --other-orbital --superposition --time --spacing --margin --engine --kernel --devices --threads --like --dimensions" ;;
    "convert") echo "--help -h --set" ;;
    "describe") echo "--help -h --json" ;;
    "devices") echo "--help -h --json" ;;
    "electrostatics") echo "potential ions charges prepare make residues difference render" ;;
    "electrostatics charges") echo "--help -h --output -o --kind --density --set --threads --json" ;;
    "electrostatics difference") echo "--help -h --output -o --unit --map-unit --other-unit --temperature --json" ;;
    "electrostatics ions") echo "--help -h --output -o --count --charge --ion --neutralise --molar --with-solute --distance --ion-distance --spacing --margin --charges --force-field --ph --pka --states --unknown --unknown-charge --ligands --keep-water --no-keep-water --assembly --model --json --method --unit --dielectric --solute-dielectric --solvent-dielectric --salt --temperature --cutoff --error --box --surface --interface --probe --spline-window --ion-radius --charge-spline --focusing --engine --kernel --devices --threads" ;;
    "electrostatics make") echo "--help -h --output -o --cells --atoms --size --residues --seed --json" ;;
    "electrostatics potential") echo "--help -h --output -o --points --plane --on-surface --above --like --spacing --margin --memory --trajectory --frames --average --charges --force-field --ph --pka --states --unknown --unknown-charge --ligands --keep-water --no-keep-water --assembly --model --topology --set --resume --json --method --unit --dielectric --solute-dielectric --solvent-dielectric --salt --temperature --cutoff --error --box --surface --interface --probe --spline-window --ion-radius --charge-spline --focusing --engine --kernel --devices --threads" ;;
    "electrostatics prepare") echo "--help -h --output -o --charges --force-field --ph --pka --states --unknown --unknown-charge --ligands --keep-water --no-keep-water --assembly --model --json" ;;
    "electrostatics render") echo "--help -h --output -o --size --dpi --camera --transparent --dark --json --residue --lines --vertices --map --trajectory --charges --force-field --ph --pka --states --unknown --unknown-charge --ligands --keep-water --no-keep-water --assembly --model --potential-of --difference-to --set --frame --average --no-average --method --unit --dielectric --solute-dielectric --solvent-dielectric --salt --temperature --cutoff --error --box --surface --interface --probe --spline-window --ion-radius --charge-spline --focusing --engine --kernel --devices --threads --shown --form --density-isovalue --sample-height --isovalue --style --opacity --positive-colour --negative-colour --colour-range --colour-limit --colour-low --colour-high --volume --no-volume --volume-opacity --atoms --no-atoms --atom-scale --labels --ribbon --ribbon-colour --selection --isolate --no-isolate --ions --ion --ion-count --ion-molar --salt-cation --salt-anion --field-lines --no-field-lines --field-line-count --slice --no-slice --slice-axis --slice-position --slice-contours --no-slice-contours --slice-values --no-slice-values --depth-cue --scale-bar --no-scale-bar --background --spacing --margin --compare --map-shown --map-unit" ;;
    "electrostatics residues") echo "--help -h --output -o --patches --atoms --patch-threshold --patch-area --selection --form --sample-height --spacing --margin --charges --force-field --ph --pka --states --unknown --unknown-charge --ligands --keep-water --no-keep-water --assembly --model --json --method --unit --dielectric --solute-dielectric --solvent-dielectric --salt --temperature --cutoff --error --box --surface --interface --probe --spline-window --ion-radius --charge-spline --focusing --engine --kernel --devices --threads" ;;
    "flames") echo "describe edit render" ;;
    "flames describe") echo "--help -h --json" ;;
    "flames edit") echo "--help -h --json --run --output -o" ;;
    "flames render") echo "--help -h --json --output -o --size --dpi --transparent --quality --engine --kernel --devices --threads" ;;
    "livewire") echo "trace import render --help -h --seeds --close --slice --axis --snap --region --series --time-point --values --label --output -o --json --cost --gradient-filter --sigma --neighbours --gradient-weight --gradient-reach --zero-crossing-weight --zero-crossing-threshold --direction-weight --inside-weight --inside-value --inside-tolerance --outside-weight --outside-value --outside-tolerance --trained-weight --engine --kernel --devices --threads --weights" ;;
    "livewire import") echo "--help -h --nested --slice --axis --series --time-point --values --output -o --json" ;;
    "livewire render") echo "--help -h --output -o --slice --axis --series --time-point --values --size --dpi --json" ;;
    "livewire trace") echo "--help -h --seeds --close --slice --axis --snap --region --series --time-point --values --label --output -o --json --cost --gradient-filter --sigma --neighbours --gradient-weight --gradient-reach --zero-crossing-weight --zero-crossing-threshold --direction-weight --inside-weight --inside-value --inside-tolerance --outside-weight --outside-value --outside-tolerance --trained-weight --engine --kernel --devices --threads --weights" ;;
    "nbody") echo "run render forces convert" ;;
    "nbody convert") echo "--help -h --moment --scene --bodies --seed --concentration --virial --toomre --pericentre --separation --mass-ratio --inclination-1 --inclination-2 --argument-1 --argument-2 --eccentricity --box-size --particles-per-side --start-redshift --omega-matter --omega-lambda --omega-baryon --hubble --sigma-8 --spectral-index --units --output -o" ;;
    "nbody forces") echo "--help -h --output -o --at --period --json --solver --softening --softening-kind --opening-angle --error --engine --devices --threads --units" ;;
    "nbody render") echo "--help -h --moment --scene --bodies --seed --concentration --virial --toomre --pericentre --separation --mass-ratio --inclination-1 --inclination-2 --argument-1 --argument-2 --eccentricity --box-size --particles-per-side --start-redshift --omega-matter --omega-lambda --omega-baryon --hubble --sigma-8 --spectral-index --units --output -o --steps --time --size --dpi --camera --lowest-colour --highest-colour --movie --fps --every --turn --seconds --sweep --json --dt --time-steps --accuracy --integrator --added-bodies --solver --softening --softening-kind --opening-angle --error --collisions --restitution --density --engine --devices --threads --body --follow --trails --trail-steps --surface-density --no-surface-density --tree-levels --colour-by --brightness --body-size --sizes --exposure --halo --names --no-names --orbits --no-orbits --probe --no-probe --probe-x --probe-y --probe-z" ;;
    "nbody run") echo "--help -h --moment --scene --bodies --seed --concentration --virial --toomre --pericentre --separation --mass-ratio --inclination-1 --inclination-2 --argument-1 --argument-2 --eccentricity --box-size --particles-per-side --start-redshift --omega-matter --omega-lambda --omega-baryon --hubble --sigma-8 --spectral-index --units --steps --every --output -o --diagnostics --resume --json --dt --time-steps --accuracy --integrator --added-bodies --solver --softening --softening-kind --opening-angle --error --collisions --restitution --density --engine --devices --threads" ;;
    "orbitals") echo "describe compute render convert precompile" ;;
    "orbitals compute") echo "--help -h --output -o --json --field --set --orbital --spin --other-orbital --superposition --time --spacing --margin --engine --kernel --devices --threads --like --dimensions" ;;
    "orbitals convert") echo "--help -h --set" ;;
    "orbitals describe") echo "--help -h --json" ;;
    "orbitals precompile") echo "--help -h --compute-capability --into" ;;
    "orbitals render") echo "--help -h --output -o --size --dpi --camera --transparent --dark --json --field --set --orbital --spin --other-orbital --superposition --time --spacing --margin --engine --kernel --devices --threads --surface --no-surface --isovalue --enclosed --isovalue-mode --style --opacity --positive-colour --negative-colour --colour-by --colour-orbital --potential-unit --colour-range --colour-limit --colour-low --colour-high --volume --no-volume --volume-opacity --atoms --no-atoms --atom-scale --labels --no-labels --slice --no-slice --slice-axis --slice-position --slice-contours --no-slice-contours --slice-values --no-slice-values --depth-cue --scale-bar --no-scale-bar --background" ;;
    "precompile") echo "--help -h --compute-capability --into" ;;
    "reconstruction") echo "ct simulate" ;;
    "reconstruction ct") echo "--help -h --json --threads --output -o --geometry --flat --dark --intensities --find-axis --size --spacing --axis-shift --views --arc --hardening --rings --noise --no-noise --photons --seed --method --filter --cutoff --iterations --subsets --relaxation --positive --no-positive" ;;
    "reconstruction simulate") echo "--help -h --json --threads --output -o --geometry --phantom --size --columns --rows --all-views --pixel --source-to-axis --source-to-detector --rotation --offset --parallel --axis-shift --views --arc --hardening --rings --noise --no-noise --photons --seed" ;;
    "render") echo "--help -h --output -o --size --dpi --camera --transparent --dark --json --field --set --orbital --spin --other-orbital --superposition --time --spacing --margin --engine --kernel --devices --threads --surface --no-surface --isovalue --enclosed --isovalue-mode --style --opacity --positive-colour --negative-colour --colour-by --colour-orbital --potential-unit --colour-range --colour-limit --colour-low --colour-high --volume --no-volume --volume-opacity --atoms --no-atoms --atom-scale --labels --no-labels --slice --no-slice --slice-axis --slice-position --slice-contours --no-slice-contours --slice-values --no-slice-values --depth-cue --scale-bar --no-scale-bar --background" ;;
    "script") echo "--help -h" ;;
  esac
}

_isolume_window_words() {
  case "$1" in
    --command) echo "anatomy.field.save anatomy.filtered.save anatomy.filters.open anatomy.filters.save anatomy.fixed-labels.open anatomy.fixed.open anatomy.images.swap anatomy.label-surfaces.save anatomy.labels.open anatomy.labels.save anatomy.landmark.add anatomy.landmark.move anatomy.landmark.name anatomy.landmark.remove anatomy.landmarks.clear anatomy.landmarks.open anatomy.landmarks.save anatomy.linear.save anatomy.mask.open anatomy.mask.remove anatomy.moving.open anatomy.neuron.correct anatomy.neuron.mark anatomy.neuron.remove anatomy.neurons.clear anatomy.neurons.result anatomy.neurons.save anatomy.regions.clear anatomy.regions.correct anatomy.regions.paint anatomy.regions.result anatomy.regions.save anatomy.regions.trace anatomy.result app.quit atlas.ages.open atlas.deviation.save atlas.displacements.save atlas.image.remove atlas.images.add atlas.images.open atlas.result command.palette device.disable device.enable devices.export-timeline document.close document.list document.next document.previous document.show edit.copy edit.redo edit.undo electrostatics.atoms.export electrostatics.charge-table electrostatics.charge-table.remove electrostatics.charges.export electrostatics.colours electrostatics.comparison electrostatics.energy electrostatics.field-lines.export electrostatics.field-lines.toggle electrostatics.force-field electrostatics.frames.loop electrostatics.frames.play electrostatics.frames.reverse electrostatics.frames.seek electrostatics.frames.speed electrostatics.frames.step electrostatics.frames.stop electrostatics.ions.export electrostatics.ions.toggle electrostatics.isolate.toggle electrostatics.ligands electrostatics.line electrostatics.map electrostatics.measure.atoms electrostatics.measure.clear electrostatics.patch electrostatics.patches.export electrostatics.preparation.export electrostatics.probe electrostatics.protonate electrostatics.residue electrostatics.residues.export electrostatics.select electrostatics.selection electrostatics.selection.zoom electrostatics.show electrostatics.slice.toggle electrostatics.topology electrostatics.trajectory file.export file.export-image file.export-movie file.open file.open-folder file.open-in file.open-sample file.recent flames.flame.interpolate flames.flame.mutate flames.flame.randomise flames.function.add flames.function.delete flames.function.final flames.loop flames.map.set flames.play flames.reverse flames.seek flames.speed flames.step flames.stop flames.target.clear flames.target.open flames.view.fit flames.view.set help.about help.manual help.shortcuts job.cancel lab.show livewire.cancel livewire.close livewire.contour.colour livewire.contour.combination livewire.contour.copy-to-next livewire.contour.copy-to-previous livewire.contour.delete livewire.contour.delete-seed livewire.contour.deselect livewire.contour.hide livewire.contour.insert-seed livewire.contour.interpolate livewire.contour.label livewire.contour.list livewire.contour.lock livewire.contour.move livewire.contour.move-seed livewire.contour.rename livewire.contour.resnap livewire.contour.select livewire.contour.trace livewire.contours.delete-all livewire.contours.import livewire.contours.open livewire.contours.save livewire.draft livewire.finish-open livewire.image.anonymise livewire.image.open-series livewire.label.add livewire.label.colour livewire.label.erase livewire.label.fill livewire.label.hide livewire.label.lock livewire.label.paint livewire.label.remove livewire.label.rename livewire.label.select livewire.label.threshold livewire.layer.loop livewire.layer.play livewire.layer.reverse livewire.layer.seek livewire.layer.speed livewire.layer.step livewire.layer.stop livewire.measure.angle livewire.measure.cancel livewire.measure.delete livewire.measure.distance livewire.measure.list livewire.measure.move livewire.move livewire.press livewire.reference.compare livewire.region livewire.region-clear livewire.region-view livewire.restore livewire.slice.fit livewire.slice.frame livewire.slice.go-to livewire.slice.next livewire.slice.pause-time livewire.slice.play-time livewire.slice.previous livewire.slice.show livewire.slice.space livewire.slice.zoom livewire.suggestion.accept livewire.suggestion.accept-all livewire.suggestion.next livewire.suggestion.reject livewire.tool.trace livewire.undo-seed livewire.window.invert livewire.window.preset livewire.window.set nbody.add-body nbody.add-by-mouse nbody.body nbody.branch nbody.branch-close nbody.branch-keep nbody.branch-set nbody.change-body nbody.crossover nbody.delete-body nbody.diagnose nbody.follow nbody.loop nbody.names nbody.octree nbody.orbit-about nbody.orbits nbody.pick nbody.play nbody.plot nbody.probe nbody.read-out nbody.record nbody.recording nbody.restart nbody.reverse nbody.rewind nbody.scene nbody.seek nbody.sizes nbody.speed nbody.step nbody.stop nbody.surface-density nbody.trails orbitals.animation.loop orbitals.animation.play orbitals.animation.record orbitals.animation.reverse orbitals.animation.seek orbitals.animation.speed orbitals.animation.step orbitals.animation.stop orbitals.choose-set orbitals.field.choose orbitals.field.line orbitals.field.probe orbitals.field.show orbitals.frame.next orbitals.frame.previous orbitals.homo orbitals.isovalue.enclose orbitals.lumo orbitals.measure.atoms orbitals.measure.clear orbitals.next orbitals.previous orbitals.select orbitals.slice.move orbitals.slice.toggle orbitals.surface.colour-by orbitals.volume.toggle parameter.reset parameter.set parameter.show reconstruction.axis.find reconstruction.phantom.open reconstruction.projections.open reconstruction.result reconstruction.volume.save script.record script.run script.save script.stop session.open session.restore session.save session.save-as view.camera view.full-screen view.interaction view.panel view.preset view.projection view.reset view.theme view.turn-down view.turn-left view.turn-right view.turn-up view.zoom-in view.zoom-out" ;;
    *) echo "--command --script --screenshot --quit-after-commands --help --version" ;;
  esac
}

_isolume_path() {
  local path="" word
  for word in "$@"; do
    case " $(_isolume_words "$path") " in
      *" $word "*) path="${path:+$path }$word" ;;
      *) break ;;
    esac
    [ -n "$(_isolume_words "$path")" ] || { path="${path% *}"; break; }
  done
  echo "$path"
}

_isolume_complete() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" path words
  if [ "${1##*/}" = isolume ]; then
    words="$(_isolume_window_words "$prev")"
  else
    path="$(_isolume_path "${COMP_WORDS[@]:1:COMP_CWORD-1}")"
    words="$(_isolume_choices "$path $prev")"
    [ -n "$words" ] || words="$(_isolume_words "$path")"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _isolume_complete isolume-batch isolume
