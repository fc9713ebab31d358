# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../support/jit_situations"

class Holdup::JitMemoryTest < Minitest::Test
  include JitSituations

  GAUGES = {jit_code_bytes: 4_200_000, jit_alloc_bytes: 10_700_000}.freeze
  # 14.9 MB of code and metadata, which the process grows by 1.3 times.
  MEMORY = 19_370_000

  def setup
    @life = life(**GAUGES)
    @report = jits(@life)
  end

  def test_code_and_metadata_and_what_the_process_grows_by
    memory = Holdup::JitMemory.of(GAUGES)
    assert_equal [4_200_000, 10_700_000, 14_900_000, MEMORY],
      [memory.code_bytes, memory.metadata_bytes, memory.total_bytes, memory.memory_bytes]
  end

  def test_is_unknown_while_a_part_is
    [{jit_code_bytes: 1}, {jit_alloc_bytes: 1}, {}].each do |gauges|
      assert_nil Holdup::JitMemory.of(gauges).memory_bytes
    end
  end

  def test_the_chart_has_the_figure_of_the_table
    points = Holdup::JitReport::Page::WarmUpChart::FIGURES["jit_memory"].last.call(@report.on.first)
    assert_equal [MEMORY], points.map(&:last).uniq
    assert_equal MEMORY, @report.on.first.facts.memory_bytes
    assert_equal MEMORY, @report.servers.first.median { |life| life.facts.memory_bytes }
  end

  def test_exporters_have_the_same_figure_by_the_same_name
    gauges = Holdup::ExportedFigures::PROCESS_GAUGES
    sample = @life.last
    found = %i[code metadata memory].map { |part| gauges.fetch(:"ruby_yjit_#{part}_bytes").of(sample) }
    assert_equal [4_200_000, 10_700_000, MEMORY], found
    assert_nil gauges.fetch(:ruby_yjit_memory_bytes).of({**sample, "jit.kind": "zjit"})
  end

  def test_a_process_says_the_same_of_itself
    snapshot = Holdup::Jit::Snapshot.new(kind: :yjit, code_bytes: 4_200_000, metadata_bytes: 10_700_000)
    assert_equal MEMORY, snapshot.real_bytes
  end
end
