# frozen_string_literal: true

require "io/console"
require "open3"
require "tmpdir"
require_relative "options"

module Demo
  # Runs commands whose whole output goes into a file; the screen gets its first answers. The file stays.
  class FullOutput
    BAR = /^[#!x~=z+]{30,}$/
    # Of the table behind a verification: its head and three figures.
    FIGURES = 4
    # The demo prints at most 40 lines, of which these sentences may take so many.
    ADVICE_LINES = 3
    VERIFICATION_LINES = 3
    # Title, head, and the first two causes.
    CAUSE_LINES = 5
    CUT = "[...]"

    attr_reader :path

    # @param out [IO] the screen
    # @param now [Time]
    def initialize(out: $stdout, now: Time.now)
      @out = out
      @path = File.join(Dir.tmpdir, "holdup-demo-#{now.strftime("%Y%m%dT%H%M%S")}.txt")
    end

    # @param kept [Boolean] whether it goes into the file
    # @return [Array(String, Integer)] what it printed, and its exit status
    def run(env, *command, kept: true)
      text, status = Open3.capture2({"COLUMNS" => columns.to_s, **env}, *command)
      File.write(@path, "$ #{name(command)}\n\n#{text}\n", mode: "a") if kept
      [text, status.exitstatus]
    end

    # @param screen [String] of `holdup report`: the sentence, where the time goes, and whose it is
    # @return [void]
    def print_report(screen)
      lead, *others = paragraphs(screen)
      bar = others.index { |text| text.match?(BAR) }
      split, causes = others[bar, 2] if bar
      causes = causes.lines.first(CAUSE_LINES).join.chomp if causes
      show "", [lead, split, causes].compact.join("\n\n"), ""
    end

    # @param advice [String] of `holdup advise --full`: the sentence
    # @return [void]
    def print_advice(advice)
      show sentence(advice, ADVICE_LINES)
    end

    # @param verification [String] of `holdup advise --verify`: the sentence and the first figures
    # @return [void]
    def print_verification(verification)
      _, table = paragraphs(verification)
      show sentence(verification, VERIFICATION_LINES), *table.to_s.lines.first(FIGURES)
    end

    private

    # What goes on is printed elsewhere, so this must not come late.
    def show(*lines)
      @out.puts(*lines)
      @out.flush
    end

    # @return [String] the first paragraph, in at most so many lines
    def sentence(text, most)
      lines = paragraphs(text).first.lines
      lines = [*lines.first(most - 1), CUT] if lines.size > most
      lines.join
    end

    # Without the title.
    def paragraphs(text) = text.chomp.split("\n\n").drop(1)

    def columns
      @out.tty? ? @out.winsize.last.clamp(40, 100) : 80
    end

    # "holdup report --full", as one would type it.
    def name(command)
      command.drop_while { |word| !word.end_with?("/holdup") }.join(" ").sub(/\A\S+/, "holdup")
    end
  end
end
