# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::CommandTest < Minitest::Test
  include CommandLine

  def test_what_can_not_be_asked
    {
      %w[--slo fast] => /p95=300ms/,
      %w[--load x] => /above 0/,
      %w[--memory lots] => /512M or 2G/,
      %w[--objective throughput] => /is for jobs/,
      %w[--since 1h --until 2h] => /not before/,
      %w[--verify /nonexistent] => /can't read .*No such file or directory/,
      %w[--verify a --slo p99] => /--verify can't be combined with --slo; leave them out/,
      %w[--verify a --save b] => /--verify can't be combined with --save; leave them out/,
      %w[--verify a --html --out b] => /--verify can't be combined with --out, --html; leave them out/,
      %w[--threads 3] => /no option --threads/
    }.each do |arguments, message|
      said = holdup("advise", *arguments)
      assert_equal [2, ""], [said.status, said.out], arguments.inspect
      assert_match message, said.err
    end
  end
end
