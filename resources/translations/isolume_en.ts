<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>QObject</name>
    <message numerus="yes">
        <source>%n pixel(s) added to %1.</source>
        <translation>
            <numerusform>%n pixel added to %1.</numerusform>
            <numerusform>%n pixels added to %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pixel(s), which already belong to %1. Nothing was added.</source>
        <translation>
            <numerusform>%n pixel, which already belongs to %1. Nothing was added.</numerusform>
            <numerusform>%n pixels, which already belong to %1. Nothing was added.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n residue(s)</source>
        <translation>
            <numerusform>%n residue</numerusform>
            <numerusform>%n residues</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n atom(s)</source>
        <translation>
            <numerusform>%n atom</numerusform>
            <numerusform>%n atoms</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n contour(s) of %1 lie within others of the same region of interest.</source>
        <translation>
            <numerusform>%n contour of %1 lies within others of the same region of interest.</numerusform>
            <numerusform>%n contours of %1 lie within others of the same region of interest.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n contour(s) imported</source>
        <translation>
            <numerusform>%1: %n contour imported</numerusform>
            <numerusform>%1: %n contours imported</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n structure set(s) or segmentation(s) found in the folder of these images: %1.</source>
        <translation>
            <numerusform>%n structure set or segmentation found in the folder of these images: %1.</numerusform>
            <numerusform>%n structure sets or segmentations found in the folder of these images: %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This file is one of a series of %n file(s) in its folder.</source>
        <translation>
            <numerusform>This file is one of a series of %n file in its folder.</numerusform>
            <numerusform>This file is one of a series of %n files in its folder.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>This file is one of %n file(s) of the series “%1” in its folder.</source>
        <translation>
            <numerusform>This file is one of %n file of the series “%1” in its folder.</numerusform>
            <numerusform>This file is one of %n files of the series “%1” in its folder.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Written: %1 (%n frame(s), %2 s, %3 × %4 pixels)</source>
        <translation>
            <numerusform>Written: %1 (%n frame, %2 s, %3 × %4 pixels)</numerusform>
            <numerusform>Written: %1 (%n frames, %2 s, %3 × %4 pixels)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %2 | %n bodies | %3%4</source>
        <translation>
            <numerusform>%1, %2 | %n body | %3%4</numerusform>
            <numerusform>%1, %2 | %n bodies | %3%4</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>isolume::labs::electrostatics::ElectrostaticsLab</name>
    <message numerus="yes">
        <source>%n patch(es) where the potential is beyond ±%1 %2</source>
        <translation>
            <numerusform>%n patch where the potential is beyond ±%1 %2</numerusform>
            <numerusform>%n patches where the potential is beyond ±%1 %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n ion(s) placed</source>
        <translation>
            <numerusform>%n ion placed</numerusform>
            <numerusform>%n ions placed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n atom(s) of %1 residues selected, charge %2 e</source>
        <translation>
            <numerusform>%n atom of %1 residues selected, charge %2 e</numerusform>
            <numerusform>%n atoms of %1 residues selected, charge %2 e</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n atom(s) of %1 selected, charge %2 e</source>
        <translation>
            <numerusform>%n atom of %1 selected, charge %2 e</numerusform>
            <numerusform>%n atoms of %1 selected, charge %2 e</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n atom(s) of %1 selected: no charge assigned</source>
        <translation>
            <numerusform>%n atom of %1 selected: no charge assigned</numerusform>
            <numerusform>%n atoms of %1 selected: no charge assigned</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n atom(s) selected, Mulliken charge %1 e</source>
        <translation>
            <numerusform>%n atom selected, Mulliken charge %1 e</numerusform>
            <numerusform>%n atoms selected, Mulliken charge %1 e</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n atom(s), charge %2 e</source>
        <translation>
            <numerusform>%1: %n atom, charge %2 e</numerusform>
            <numerusform>%1: %n atoms, charge %2 e</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n frame(s)</source>
        <translation>
            <numerusform>%1: %n frame</numerusform>
            <numerusform>%1: %n frames</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 ends within a frame; %n complete frame(s) can be used.</source>
        <translation>
            <numerusform>%1 ends within a frame; %n complete frame can be used.</numerusform>
            <numerusform>%1 ends within a frame; %n complete frames can be used.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>isolume::labs::electrostatics::ResidueTable</name>
    <message numerus="yes">
        <source>%n residue(s) selected: %1 e, %2 kJ/mol, %3 Å²</source>
        <translation>
            <numerusform>%n residue selected: %1 e, %2 kJ/mol, %3 Å²</numerusform>
            <numerusform>%n residues selected: %1 e, %2 kJ/mol, %3 Å²</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n residue(s) without charge: %1</source>
        <translation>
            <numerusform>%n residue without charge: %1</numerusform>
            <numerusform>%n residues without charge: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>isolume::labs::livewire::Workspace</name>
    <message numerus="yes">
        <source>Wire: computed in %1 ms by %2, shown %3 ms after the pointer; %4 mm, %n seed(s)</source>
        <translation>
            <numerusform>Wire: computed in %1 ms by %2, shown %3 ms after the pointer; %4 mm, %n seed</numerusform>
            <numerusform>Wire: computed in %1 ms by %2, shown %3 ms after the pointer; %4 mm, %n seeds</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The unfinished contour on slice %1 was restored, with %n seed(s): Esc discards it.</source>
        <translation>
            <numerusform>The unfinished contour on slice %1 was restored, with %n seed: Esc discards it.</numerusform>
            <numerusform>The unfinished contour on slice %1 was restored, with %n seeds: Esc discards it.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: restored with %n contour(s)</source>
        <translation>
            <numerusform>%1: restored with %n contour</numerusform>
            <numerusform>%1: restored with %n contours</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>isolume::labs::orbitals::MoleculeInfo</name>
    <message numerus="yes">
        <source>%1, %n atom(s)</source>
        <translation>
            <numerusform>%1, %n atom</numerusform>
            <numerusform>%1, %n atoms</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n function(s)</source>
        <translation>
            <numerusform>%n function</numerusform>
            <numerusform>%n functions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n shell(s)</source>
        <translation>
            <numerusform>%n shell</numerusform>
            <numerusform>%n shells</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>isolume::labs::orbitals::OrbitalTable</name>
    <message numerus="yes">
        <source>%1 (%n orbital(s))</source>
        <translation>
            <numerusform>%1 (%n orbital)</numerusform>
            <numerusform>%1 (%n orbitals)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>isolume::labs::orbitals::OrbitalsLab</name>
    <message numerus="yes">
        <source>Written: %n frame(s) in %1</source>
        <translation>
            <numerusform>Written: %n frame in %1</numerusform>
            <numerusform>Written: %n frames in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n atom(s)</source>
        <translation>
            <numerusform>%1: %n atom</numerusform>
            <numerusform>%1: %n atoms</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>isolume::workbench::ExportMovieDialog</name>
    <message numerus="yes">
        <source>%n frames, %1</source>
        <translation>
            <numerusform>%n frame, %1</numerusform>
            <numerusform>%n frames, %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>isolume::workbench::JobIndicator</name>
    <message numerus="yes">
        <source> (%n more)</source>
        <translation>
            <numerusform> (%n more)</numerusform>
            <numerusform> (%n more)</numerusform>
        </translation>
    </message>
</context>
</TS>
