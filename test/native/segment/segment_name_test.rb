# frozen_string_literal: true

require "native/native_helper"
require "holdup/segment/directory"

# Processes of two containers that share the folder may have the same pid and start time, and so the same
# name.
class SegmentNameTest < Minitest::Test
  include TemporaryFolder

  PROCESSES = 4
  ROUNDS = 25

  # All try to take each name at the same moment.
  SCRIPT = <<~'RUBY'
    starts = Array.new(processes) { IO.pipe }
    answers, told = IO.pipe
    processes.times do |number|
      fork do
        rounds.times do |round|
          starts[number].first.getc
          Holdup::Probe.public_send(method, "#{folder}/1-#{round}.segment", 20, 64, number, 0)
          told.puts("#{round} #{number}")
        rescue SystemCallError => error
          told.puts("#{round} #{error.class}")
        end
        exit!(0)
      end
    end
    rounds.times do
      starts.each { |_, start| start.putc(".") }
      processes.times { puts answers.gets }
    end
    Process.waitall
  RUBY

  # @return [Array<Array(Integer, Integer)>] round and number of those that took its name
  def taken(anonymous)
    method = anonymous ? :open_anonymous_segment : :open_segment
    values = {folder:, method:, processes: PROCESSES, rounds: ROUNDS}
    said = fresh_ruby(values.map { |name, value| "#{name} = #{value.inspect}\n" }.join + SCRIPT)
    said.lines.map(&:split).reject { |_, number| number == "Errno::EEXIST" }.map { |pair| pair.map(&:to_i) }
  end

  def test_one_process_gets_a_name_and_its_file_stays
    found = taken(false)
    assert_equal [*0...ROUNDS], found.map(&:first).sort, "each name is one process's"
    found.each do |round, number|
      header = Holdup::Segment::Reader.open("#{folder}/1-#{round}.segment", gone: true, &:header)
      assert_equal number, header.worker_index, "the file is that of the process which has the name"
    end
    assert_equal ROUNDS, Dir.children(folder).size, "nothing else is left"
  end

  linux def test_the_same_for_memory_without_a_name
    assert_equal [*0...ROUNDS], taken(true).map(&:first).sort
    assert_equal ROUNDS, Dir.children(folder).size
  end
end
