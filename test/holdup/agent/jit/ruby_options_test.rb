# frozen_string_literal: true

require "test_helper"
require "holdup/agent/jit/ruby_options"
require "tempfile"

class Holdup::Jit::RubyOptionsTest < Minitest::Test
  def options(*command, **env)
    Tempfile.create do |file|
      file.write(command.map { |word| "#{word}\0" }.join)
      file.close
      Holdup::Jit::RubyOptions.read(env: env.transform_keys(&:to_s), cmdline: file.path)
    end
  end

  def test_reads_rubyopt_as_ruby_does
    assert_equal "RUBYOPT", options("ruby", RUBYOPT: "--enable=frozen-string-literal,yj").at_boot
    assert_equal "--yjit", options("ruby", RUBYOPT: "--enable y").to_s
    assert_equal "--zjit", options("ruby", RUBYOPT: "--enable-zjit").to_s
    assert_nil options("ruby", RUBYOPT: "--disable=yjit").at_boot
    assert_nil options("ruby", RUBYOPT: "-r --yjit -I --yjit-stats").to_s
  end

  def test_of_the_command_line
    given = options("/usr/bin/ruby", "-I", "lib", "-W0", "--yjit-mem-size=64", "-r", "x", "script.rb",
      "--yjit-mem-size=1")
    assert_equal [64, "command line", "--yjit-mem-size=64"],
      [given.number("--yjit-mem-size"), given.source("--yjit-mem-size"), given.to_s]
    assert_equal "command line", given.at_boot
  end

  def test_rubyopt_is_read_last
    given = options("ruby", "--yjit-call-threshold=5", "-e", "1", RUBYOPT: "-W --yjit-call-threshold=50")
    assert_equal [50, "RUBYOPT"],
      [given.number("--yjit-call-threshold"), given.source("--yjit-call-threshold")]
  end

  def test_what_starts_it_with_ruby
    assert_nil options("ruby", "x.rb").at_boot
    assert_nil options("ruby", RUBYOPT: "--yjit-disable --yjit-mem-size=4").at_boot
    assert_equal %w[RUBYOPT RUBYOPT],
      [options("ruby", RUBYOPT: "--jit").at_boot, options("ruby", RUBYOPT: "--zjit").at_boot]
    assert_equal "RUBY_YJIT_ENABLE", options("ruby", RUBY_YJIT_ENABLE: "1").at_boot
    assert_nil options("ruby", RUBY_YJIT_ENABLE: "0").at_boot
  end

  def test_bytes_of_any_kind
    given = options("ruby", "-I", "\xff\xfe", "--yjit", "x\xff.rb", RUBYOPT: "-r\xff --yjit-mem-size=4")
    assert_equal [4, "command line"], [given.number("--yjit-mem-size"), given.at_boot]
    assert_equal "assumed default", options.source("--yjit")
  end

  def test_a_title_hides_the_command_line
    hidden = options("puma: cluster worker 0: 123 [app]", "", "")
    assert_equal ["assumed default", nil], [hidden.source("--yjit-mem-size"), hidden.to_s]
    assert_equal "default", options("ruby", "x.rb").source("--yjit-mem-size")
  end
end
