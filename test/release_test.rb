# frozen_string_literal: true

require "test_helper"
require "open3"
require "yaml"

# The workflows, as far as they can be judged without running them: what they may do and whose code they run.
# The release builds what the Rakefile can, and CI tests each Ruby that it builds for.
class ReleaseTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("..", __dir__)
  FILE = File.join(ROOT, ".github/workflows/release.yml")
  ALL = Dir[File.join(ROOT, ".github/workflows/*.yml")].freeze
  JOBS = YAML.safe_load_file(FILE).fetch("jobs")
  CI = YAML.safe_load_file(File.join(ROOT, ".github/workflows/ci.yml"))
  STEPS = ALL.flat_map { |file| YAML.safe_load_file(file).fetch("jobs").values }
    .flat_map { |job| job.fetch("steps") }
  # Of the actions that they run.
  OWNERS = %w[actions ruby rubygems].freeze

  # For people; each change and its reason are in git.
  def test_the_changelog_of_a_version_has_at_most_sixty_lines
    versions = File.read(File.join(ROOT, "CHANGELOG.md")).split(/^(?=## )/).drop(1)
    refute_empty versions
    versions.each { |version| assert_operator version.lines.size, :<=, 60, version.lines.first }
  end

  # Pins of actions would grow old, and nobody would see it.
  def test_what_is_pinned_is_looked_after
    updates = YAML.safe_load_file(File.join(ROOT, ".github/dependabot.yml")).fetch("updates")
    places = updates.map { |update| update.values_at("package-ecosystem", "directory") }
    packages = Dir["{assets,test/*}/package.json", base: ROOT]
    npm = packages.sort.map { |file| ["npm", "/#{File.dirname(file)}"] }
    assert_equal [%w[github-actions /], %w[bundler /], *npm], places
    assert_operator npm.size, :>, 1
    assert_path_exists File.join(ROOT, "Gemfile.lock")
  end

  def test_actions_are_pinned_by_commit_and_say_their_version
    used = lines.grep(/\buses:/)
    assert_equal STEPS.count { |step| step.key?("uses") }, used.size
    used.each do |line|
      owner = line[%r{uses: ([\w-]+)/[\w-]+@\h{40} # v\d+\.\d+\.\d+$}, 1]
      assert_includes OWNERS, owner, line
    end
  end

  def test_an_action_has_one_version
    versions = lines.join.scan(%r{uses: ([\w/-]+)@(\h{40} # \S+)}).uniq
    assert_equal versions.map(&:first).uniq, versions.map(&:first)
  end

  # A job that builds or runs code of gems can't publish, and who checks the code out leaves no token behind.
  def test_only_the_last_job_may_publish
    workflows = ALL.map { |file| YAML.safe_load_file(file) }
    assert_empty workflows.flat_map { |workflow| workflow.fetch("permissions").to_a }
    jobs = workflows.flat_map { |workflow| workflow.fetch("jobs").to_a }
    writers = jobs.select { |_, job| job.fetch("permissions", {}).value?("write") }
    assert_equal [["publish", "rubygems"]], writers.map { |name, job| [name, job["environment"]] }
    checkouts = STEPS.select { |step| step["uses"].to_s.start_with?("actions/checkout@") }
    assert_equal [false], checkouts.map { |step| step.dig("with", "persist-credentials") }.uniq
    refute_match(/secrets\./, lines.join)
  end

  # Names of tags and branches are text of others.
  def test_no_script_is_made_of_values
    assert_empty STEPS.filter_map { |step| step["run"] }.grep(/\$\{\{/)
  end

  # RubyGems takes a gem before those that it needs, and then nobody can install it.
  def test_builds_both_gems_and_publishes_the_one_that_needs_the_other_last
    built = scripts("source").find { |script| script.include?("gem build") }
    gemspecs = built[/for gem in (.*);/, 1].split.map { |gem| "#{gem}.gemspec" }
    assert_equal Dir["*.gemspec", base: ROOT].sort, gemspecs.sort
    pushed = scripts("publish").find { |script| script.include?("gem push") }
    assert_equal %w[holdup-agent-*-linux-*.gem holdup-agent-$version.gem holdup-$version.gem],
      pushed[/for gem in (.*);/, 1].delete('"').split.map { |path| path.delete_prefix("pkg/") }
  end

  # Without a compiler: the agent that is precompiled, and what it does without the other gem first.
  def test_tries_the_precompiled_agent_alone_and_then_both
    script = scripts("try").join
    assert_equal %w[/gems/holdup-agent-*-linux-*.gem /gems/holdup-${GITHUB_REF_NAME#v}.gem],
      script.scan(/gem install --no-document "?([^\s"]+)/).flatten
    assert_equal %w[precompiled source], JOBS.dig("try", "needs").sort
  end

  def test_builds_and_tries_what_the_rakefile_can_build
    platforms = rake_tasks.scan(/gem:(\S+)/).flatten.sort
    assert_operator platforms.size, :>=, 4
    matrices = JOBS.values_at("precompiled", "try").map { |job| job.dig("strategy", "matrix") }
    matrices.each { |matrix| assert_equal platforms, matrix.fetch("platform").sort }
    assert_equal rubies, matrices.last.fetch("ruby")
  end

  def test_ci_runs_everything_on_pushes_and_pull_requests
    events = CI.fetch(true) # "on" of YAML 1.1
    assert_equal [{"branches" => ["**"]}, nil], events.values_at("push", "pull_request")
    assert_includes ci_scripts("everything"), ".ci/run"
  end

  # `head` is no release: its failure is seen and stops nothing.
  def test_ci_tests_each_ruby_that_the_release_builds_for_and_the_next_one
    job = CI.dig("jobs", "rubies")
    assert_equal [*rubies, "head"], job.dig("strategy", "matrix", "ruby")
    assert_equal "${{ matrix.ruby == 'head' }}", job.fetch("continue-on-error")
    script = ci_scripts("rubies").join
    assert_includes script, "export HOLDUP_RUBY"
    assert_includes script, "bin/test unit native"
    refute CI.fetch("jobs").except("rubies").values.any? { |other| other.key?("continue-on-error") }
  end

  def test_ci_builds_loads_and_tests_on_a_mac
    assert_match(/\Amacos-\d+\z/, CI.dig("jobs", "macos", "runs-on"))
    script = ci_scripts("macos").join
    assert_includes script, "gem install"
    assert_includes script, "ruby -r holdup"
    assert_includes script, "ruby bin/support/try_servers.rb"
    assert_includes script, "ruby test/run.rb --once elsewhere"
  end

  private

  def ci_scripts(job) = CI.dig("jobs", job, "steps").filter_map { |step| step["run"] }

  def lines = ALL.flat_map { |file| File.readlines(file) }

  def scripts(job) = JOBS.fetch(job).fetch("steps").filter_map { |step| step["run"] }

  def rake_tasks
    printed, status = Open3.capture2e(RbConfig.ruby, "-S", "rake", "--tasks", "gem:", chdir: ROOT)
    assert_predicate status, :success?, printed
    printed
  end

  def rubies
    File.read("#{ROOT}/Rakefile")[/PRECOMPILED_RUBIES = %w\[(.*)\]/, 1].split
  end
end
