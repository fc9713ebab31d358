# frozen_string_literal: true

# Deterministic: every run measures the same rows.
random = Random.new(16)
start = Time.utc(2026, 1, 1)
year_s = 365 * 86_400
words = %w[cache index queue deploy login invoice export import search filter upload render timeout retry
  session report webhook token layout migration]
sentence = ->(count) { Array.new(count) { words[random.rand(words.size)] }.join(" ").capitalize }
insert = lambda do |model, count, &row|
  (1..count).each_slice(2_000) { |ids| model.insert_all!(ids.map { |id| {id:, **row.call(id)} }) }
end

insert.call(Team, 20) { |id| {name: "Team #{id}"} }
insert.call(User, 400) do |id|
  {team_id: random.rand(1..20), name: "User #{id}", email: "user#{id}@example.com",
   created_at: start + random.rand(year_s)}
end
insert.call(Project, 60) do |id|
  {team_id: random.rand(1..20), owner_id: random.rand(1..400), name: "Project #{id}",
   summary: sentence.call(20)}
end
insert.call(Label, 30) { |id| {name: "label-#{id}", color: format("#%06x", random.rand(1 << 24))} }
insert.call(Issue, 8_000) do |_id|
  created_at = start + random.rand(year_s)
  {project_id: random.rand(1..60), author_id: random.rand(1..400), assignee_id: random.rand(1..400),
   title: sentence.call(6), body: sentence.call(60), state: %w[open active review closed][random.rand(4)],
   priority: random.rand(1..5), estimate_minutes: random.rand(10..2_000),
   due_on: created_at.to_date + random.rand(1..90), created_at:, updated_at: created_at + random.rand(86_400)}
end
insert.call(Comment, 24_000) do |_id|
  {issue_id: random.rand(1..8_000), user_id: random.rand(1..400), body: sentence.call(30),
   created_at: start + random.rand(year_s)}
end
insert.call(Labeling, 16_000) { |_id| {issue_id: random.rand(1..8_000), label_id: random.rand(1..30)} }
ActiveRecord::Base.lease_connection.execute("ANALYZE")
