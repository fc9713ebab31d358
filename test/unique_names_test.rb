# frozen_string_literal: true

require "test_helper"

# One noun has one meaning in the whole code base. Two classes or modules share a name only if each is called
# after its subject and its namespace says its role (the command, the page and the bench of comparing), or if
# they are the same part of several adapters.
class UniqueNamesTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("..", __dir__)
  FILES = Dir["{lib,benchmark,bin/support,test/support}/**/*.rb", base: ROOT].sort
    .reject { |file| file.include?("/migrations/") }

  # A feature's folder is a namespace, called after what it does.
  FEATURES = Dir["lib/holdup/features/*/", base: ROOT].map { |folder|
    "Holdup::#{File.basename(folder).split("_").map(&:capitalize).join}"
  }.freeze

  # Namespaces that say the role of their members, which are called after their subjects.
  ROLES = {
    commands: %w[Holdup::CLI Holdup::Lab::Command],
    experiments: %w[Holdup::Lab],
    pages: %w[Holdup::Web::Pages Holdup::Report::UnitPages],
    views: %w[Holdup::View Holdup::Advise::AdviceTable Holdup::View::Blocks Holdup::View::Charts
      Holdup::View::Json Holdup::View::Remarks Holdup::Report::Sections],
    checks: %w[Holdup::JitReport::JitChecks Holdup::Doctor::ProbeChecks Holdup::Doctor::ScalingChecks
      Holdup::Doctor::SegmentChecks Holdup::Doctor::ServerChecks Holdup::Doctor::StoreChecks],
    rules: %w[Holdup::JitReport::JitActivationRules Holdup::JitReport::JitLifetimeRules
      Holdup::Advise::Rules::ThreadRules],
    adapters: %w[Holdup::Servers Holdup::Instrumentation Bench::Tools],
    types: %w[Holdup::ConfigurationKeys::Types],
    errors: %w[Holdup::StoreError],
    tables: %w[Holdup::Store::Sql::SmallTables],
    benches: %w[Bench],
    steps_of_the_demo: %w[Demo]
  }.freeze

  # The same part of several adapters.
  PARTS = {
    "Arguments" => "what the arguments of a command are read with",
    "CollectorPart" => "of a feature: what the collector runs of it",
    "Command" => "of a feature, or what runs one",
    "Codec" => "the bytes of a value",
    "Failure" => "what ends a script of ours",
    "Faults" => "of a database: what its errors mean",
    "Header" => "of a file format",
    "Json" => "a report as JSON",
    "Layout" => "of a file format",
    "Levers" => "of a server",
    "MarksReader" => "of a feature: what it marks in charts over time",
    "Names" => "of the rows of a view",
    "OpenUnit" => "as it is measured, and as a segment has it",
    "Page" => "of a feature, or what a renderer gets",
    "Part" => "of a page",
    "Patterns" => "of a timeline, found and shown",
    "PortTaken" => "by another process, before Redis had it",
    "Reader" => "what a file, or a store, is asked",
    "Report" => "of a feature or of an experiment",
    "Result" => "of an experiment, a copy or a bench",
    "Routes" => "of a feature: what it answers in the dashboard besides its pages",
    "Run" => "of an experiment",
    "Schema" => "of a store: its tables",
    "Sections" => "of a report",
    "Sentences" => "of a report",
    "SettingSource" => "where a server's levers are written",
    "Spans" => "of a store: what reads its windows",
    "Stacks" => "of a capture, as recorded and in each file format",
    "State" => "that the autopilot remembers, or that is compared",
    "Table" => "of a page",
    "Text" => "a report as text",
    "Topology" => "the processes of a server"
  }.freeze

  def test_no_two_classes_share_a_name_unless_they_have_the_same_role
    shared = by_name.except(*PARTS.keys).filter_map do |name, found|
      others = found.map(&:parent).uniq - ROLES.values.flatten
      "#{name}: #{places(found)}" if others.size > 1
    end
    assert_empty shared
  end

  def test_every_allowed_part_is_in_several_places
    assert_empty PARTS.keys - by_name.keys
  end

  def test_every_namespace_of_a_role_has_members
    parents = definitions.map(&:parent).uniq
    assert_empty ROLES.values.flatten - parents
  end

  private

  def definitions
    @definitions ||= DefinedConstants.in(FILES.map { |file| File.join(ROOT, file) })
  end

  def parts_of_features
    definitions.reject { |definition| FEATURES.include?("#{definition.parent}::#{definition.name}") }
  end

  # @return [Hash{String => Array<DefinedConstants::Definition>}] of names in more than one namespace
  def by_name
    @by_name ||= parts_of_features.group_by(&:name).select { |_, found| found.map(&:parent).uniq.size > 1 }
  end

  def places(found)
    found.uniq(&:parent).map { |definition| definition.place.delete_prefix("#{ROOT}/") }.join(", ")
  end
end
